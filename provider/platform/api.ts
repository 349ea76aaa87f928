import type {
  BranchRecord,
  EndpointBody,
  EndpointChange,
  EndpointRecord,
  OperationRecord,
  Page,
  ProjectRecord,
} from "./records";

/** Options of every call. */
export interface RequestOptions {
  /** Ends the call with a `CancelledError`. A change that is under way is not abandoned: its answer is waited for, as long as one attempt may take. */
  signal?: AbortSignal | undefined;
  /** No pause before an attempt lasts beyond this moment of the clock, in milliseconds: the error comes instead. */
  deadlineMs?: number | undefined;
  /** A look at what others do: it waits for its turn behind all changes and all other reads. */
  isLook?: boolean | undefined;
  /** Told of each pause of 2 s and more, and what it is for. */
  onWait?: ((message: string) => void) | undefined;
  /** Told right before each attempt, when its turn has come. What it throws ends the call, and the attempt is not made. */
  onAttempt?: (() => void) | undefined;
}

export type { EndpointBody };

/**
 * The platform's control API, a method for each call the provider makes (specification, section 4, and what is
 * published there). Every method throws the errors of `errors.ts` and nothing else.
 *
 * A GET is repeated as the retry policy says; a POST, PATCH or DELETE only when the platform certainly did not perform
 * it (429, 503, connection never made). When its answer was lost, it throws an error for which `isAnswerLost` holds:
 * the caller looks at the platform before it repeats anything, and for a create also after a 503.
 */
export interface Api {
  /** False where the base address is not that of the API: nothing there knows a list of projects (404). */
  isThere(options?: RequestOptions): Promise<boolean>;
  /** Every project of the key's own account, or of the organisation that is named. */
  listProjects(orgId?: string, options?: RequestOptions): Promise<ProjectRecord[]>;
  getProject(projectId: string, options?: RequestOptions): Promise<ProjectRecord>;
  listBranches(projectId: string, options?: RequestOptions): Promise<BranchRecord[]>;
  getBranch(projectId: string, branchId: string, options?: RequestOptions): Promise<BranchRecord>;
  /** The names of the libraries that the project's endpoints can load at their start. */
  listPreloadLibraries(projectId: string, options?: RequestOptions): Promise<string[]>;
  listEndpoints(projectId: string, options?: RequestOptions): Promise<EndpointRecord[]>;
  listBranchEndpoints(projectId: string, branchId: string, options?: RequestOptions): Promise<EndpointRecord[]>;
  getEndpoint(projectId: string, endpointId: string, options?: RequestOptions): Promise<EndpointRecord>;
  createEndpoint(projectId: string, body: EndpointBody, options?: RequestOptions): Promise<EndpointChange>;
  updateEndpoint(
    projectId: string,
    endpointId: string,
    body: EndpointBody,
    options?: RequestOptions,
  ): Promise<EndpointChange>;
  /** An already deleted endpoint (204 or 404) answers `gone: true` and no operations. */
  deleteEndpoint(
    projectId: string,
    endpointId: string,
    options?: RequestOptions,
  ): Promise<{ gone: boolean; operations: OperationRecord[] }>;
  suspendEndpoint(projectId: string, endpointId: string, options?: RequestOptions): Promise<EndpointChange>;
  startEndpoint(projectId: string, endpointId: string, options?: RequestOptions): Promise<EndpointChange>;
  getOperation(projectId: string, operationId: string, options?: RequestOptions): Promise<OperationRecord>;
  /** One page, most recent first; `limit` 1 to 1000. `cursor` is that of the page before. */
  listOperations(
    projectId: string,
    page?: { limit?: number; cursor?: string | undefined },
    options?: RequestOptions,
  ): Promise<Page<OperationRecord>>;
  /** All operations, most recent first, page by page until one of the four signs of a last page. */
  allOperations(projectId: string, page?: { limit?: number }, options?: RequestOptions): AsyncIterable<OperationRecord>;
  /** The share of the account's rate limit that the last minute's requests have used, as far as the limit is known. */
  limitUsed(): number;
  /** What holds requests back at this moment, such as `the account's rate limit`; undefined where none waits for its turn. */
  waitingFor(): string | undefined;
  /** The platform's time in milliseconds, as its answers tell it: 1 s and an answer's way behind at most, never ahead. Undefined before one has. */
  platformTime(): number | undefined;
  /** Closes the connection pool; calls under way end with `CancelledError`. */
  close(): Promise<void>;
}
