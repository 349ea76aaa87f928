/** The creates of one project in this run: lost answers, and endpoints that already have an owner. */
import type { Api } from "../api";
import { mayBeCreated } from "../errors";
import type { EndpointChange, EndpointRecord } from "../records";
import type { EndpointCache } from "./endpoint-cache";

/** A create of an endpoint. */
export interface Create {
  branchId: string;
  type: string;
  /** The name that only this create gives; absent where the program names the endpoint. */
  ownName?: string | undefined;
  /**
   * Right before its first attempt: what had been seen (`EndpointCache.mark`), and the platform's time in milliseconds, undefined where it
   * does not tell its clock. Absent until then.
   */
  before?: Record<"mark" | "timeMs", number | undefined>;
}

/** The creates of a project in this run. */
export class Creates {
  readonly #lost = new Set<Create>();
  readonly #made = new Set<string>();
  /** Those that were sent and have no answer yet. */
  readonly #underWay = new Map<Create, Promise<unknown>>();

  /** Whether the platform keeps the names that creates give; undefined until an answer to one has shown it. */
  constructor(
    private readonly cache: Pick<EndpointCache, "mark">,
    private readonly api: Pick<Api, "platformTime">,
    public keepsNames: boolean | undefined,
  ) {}

  /** True where the answer to any create of this run was lost. */
  get hasLost(): boolean {
    return this.#lost.size > 0;
  }

  /** True for an endpoint that a create of this run has made whose answer was lost: no other request gives its name. */
  hasMade({ name }: Pick<EndpointRecord, "name">): boolean {
    return name !== undefined && [...this.#lost].some(({ ownName }) => ownName === name);
  }

  /** Makes one attempt. `send` gets a callback to call right before the request goes out. */
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

  /** Takes note that an endpoint is what a create of this run has made. */
  take({ id }: Pick<EndpointRecord, "id">): void {
    this.#made.add(id);
  }

  /** True for an endpoint that a create of this run is known to have made. */
  isTaken(endpointId: string): boolean {
    return this.#made.has(endpointId);
  }

  /** Waits until all creates of the same branch and type that are on their way right now have their answers, or have lost them. */
  async answersBeside({ branchId, type }: Create): Promise<void> {
    const beside = [...this.#underWay].filter(([other]) => other.branchId === branchId && other.type === type);
    await Promise.allSettled(beside.map(([, answer]) => answer));
  }
}
