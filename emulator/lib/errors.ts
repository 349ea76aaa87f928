/** The published error body (specification, section 7, published). */
export interface ErrorBody {
  code: string;
  message: string;
  request_id?: string;
}

/** An error to answer a call with. `code` is empty where the platform has none. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** 400: the request is malformed. The message names the field. */
export const badRequest = (message: string, code = "") => new ApiError(400, code, message);

/** 401: a missing or wrong key (specification, section 5). */
export const unauthorized = () =>
  new ApiError(401, "", "supply a valid API key: Authorization: Bearer <key>", { "www-authenticate": "Bearer" });

/** 404: an unknown id. */
export const notFound = (noun: string, id: string) => new ApiError(404, "", `${noun} ${quote(id)} not found`);

/** 406: a disabled endpoint cannot be started. */
export const endpointDisabled = (endpointId: string) =>
  new ApiError(406, "ENDPOINT_DISABLED", `endpoint ${quote(endpointId)} is disabled; enable it before starting it`);

/** 409: the branch already has its read-write endpoint (specification, section 1, rule 1; section 4.5 for a move). */
export const endpointExists = (message: string) => new ApiError(409, "ENDPOINTS_LIMIT_EXCEEDED", message);

/** 409: a name or id is taken. */
export const conflict = (message: string) => new ApiError(409, "", message);

/** 501: a platform call that the emulator lacks. */
export const notImplemented = (method: string, path: string) =>
  new ApiError(501, "", `${method} ${clip(path, 300)}: the emulator does not have this call`);

/** 412: the account's plan fixes the autosuspend delay; today's public platform's words. */
export const delayFixed = () =>
  new ApiError(412, "", "modifying the suspend interval is not permitted on this account");

/** 422: the object's state forbids the change. */
export const unprocessable = (message: string, code = "") => new ApiError(422, code, message);

// Ids come from the caller, so long or odd ones are cut and quoted.
function quote(id: string): string {
  return JSON.stringify(clip(id));
}

/** A caller's text, cut to a length. */
export function clip(text: string, length = 80): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}
