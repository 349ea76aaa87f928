import type { createApi } from "./client";

/**
 * The platform's control API, one method per call (specification, section 4, and what is published there). Every method
 * throws only the errors of `errors.ts`.
 *
 * A GET is repeated by the retry policy; a POST, PATCH or DELETE only if the platform certainly did not perform it
 * (429, 503, no connection). After a lost answer the error satisfies `isAnswerLost`: the caller must read the platform
 * before a repeat, and for a create also after a 503.
 */
export type Api = ReturnType<typeof createApi>;
