import type { createApi } from "./client";

/**
 * The platform's control API, a method for each call the provider makes (specification, section 4, and what is
 * published there). Every method throws the errors of `errors.ts` and nothing else.
 *
 * A GET is repeated as the retry policy says; a POST, PATCH or DELETE only when the platform certainly did not perform
 * it (429, 503, connection never made). When its answer was lost, it throws an error for which `isAnswerLost` holds:
 * the caller looks at the platform before it repeats anything, and for a create also after a 503.
 */
export type Api = ReturnType<typeof createApi>;
