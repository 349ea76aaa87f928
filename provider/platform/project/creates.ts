/** A project's creates in this run: lost answers, and endpoints that already have an owner. */
import type { Api } from "../api";
import { mayBeCreated } from "../errors";
import type { EndpointChange, EndpointRecord } from "../records";
import type { EndpointCache } from "./endpoint-cache";

/** A create request for an endpoint. */
export interface Create {
  branchId: string;
  type: string;
  /** A name unique to this create; absent if the program sets the name. */
  ownName?: string | undefined;
  /**
   * Just before the first attempt: the cache's mark (`EndpointCache.mark`) and the platform's time in milliseconds,
   * undefined if unknown.
   */
  before?: Record<"mark" | "timeMs", number | undefined>;
}

/** The creates of a project in this run. */
export class Creates {
  readonly #lost = new Set<Create>();
  readonly #made = new Set<string>();
  /** Creates without an answer so far. */
  readonly #underWay = new Map<Create, Promise<unknown>>();

  /** Whether the platform stores names; undefined before the first answer to a named create. */
  constructor(
    private readonly cache: Pick<EndpointCache, "mark">,
    private readonly api: Pick<Api, "platformTime">,
    public keepsNames: boolean | undefined,
  ) {}

  /** True if any create of this run lost its answer. */
  get hasLost(): boolean {
    return this.#lost.size > 0;
  }

  /** True for an endpoint made by a create of this run whose answer was lost: its name is unique to that create. */
  hasMade({ name }: Pick<EndpointRecord, "name">): boolean {
    return name !== undefined && [...this.#lost].some(({ ownName }) => ownName === name);
  }

  /** Makes one attempt. `send` must call its argument just before the request goes out. */
  async attempt(create: Create, send: (onAttempt: () => void) => Promise<EndpointChange>): Promise<EndpointChange> {
    const work: Promise<EndpointChange> = send(() => {
      create.before ??= { mark: this.cache.mark(), timeMs: this.api.platformTime() };
      this.#underWay.set(create, work);
    });
    try {
      const answer = await work;
      if (create.ownName !== undefined) this.keepsNames = answer.endpoint.name === create.ownName;
      this.take(answer.endpoint);
      return answer;
    } catch (error) {
      if (create.before && mayBeCreated(error)) this.#lost.add(create);
      throw error;
    } finally {
      this.#underWay.delete(create);
    }
  }

  /** Records that a create of this run made the endpoint. */
  take({ id }: Pick<EndpointRecord, "id">): void {
    this.#made.add(id);
  }

  /** True for an endpoint recorded with `take`. */
  isTaken(endpointId: string): boolean {
    return this.#made.has(endpointId);
  }

  /** Waits until the running creates of the same branch and type have an answer or have lost it. */
  async answersBeside({ branchId, type }: Create): Promise<void> {
    const beside = [...this.#underWay].filter(([other]) => other.branchId === branchId && other.type === type);
    await Promise.allSettled(beside.map(([, answer]) => answer));
  }
}
