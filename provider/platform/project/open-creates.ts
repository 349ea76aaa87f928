/**
 * The creates of one project that are under way in this run, and what they have made. Where the platform keeps no names, this is what an
 * endpoint that appears after a lost answer is told by.
 */
import { mayBeCreated } from "../errors";
import type { EndpointChange, EndpointRecord } from "../records";
import type { EndpointCache } from "./endpoint-cache";

/** What a create asks for. */
export interface Wanted {
  branchId: string;
  type: string;
  /** The name that only this create gives. */
  name: string;
  /** How many values it sends. */
  values: number;
  /** Whether an endpoint shows all that is sent; `maybe` where only the spelling of a setting may differ. */
  isShownBy(record: EndpointRecord): "yes" | "maybe" | "no";
}

/** A request that went out: what had been seen by then, and the platform's time. */
interface SentAttempt {
  mark: number | undefined;
  sentAtMs: number | undefined;
}

/** A request whose answer was lost, and when that was by the platform's clock. */
export interface LostAttempt extends SentAttempt {
  lostAtMs: number | undefined;
}

/** A create that is under way. */
export interface OpenCreate extends Wanted {
  /** Its attempts whose answers were lost; each may have made an endpoint in its own time, and none did in between. */
  lost: LostAttempt[];
  /** Settles with the attempt that is under way, once that has been sent. */
  answering?: Promise<void> | undefined;
}

/** What the creates of a project know of each other. */
export class OpenCreates {
  /** Whether the platform keeps the names that creates give; undefined until an answer to one has shown it. */
  keepsNames: boolean | undefined;
  readonly #open = new Set<OpenCreate>();
  /** The names that creates of this run have sent whose answers were lost. */
  readonly #lostNames = new Set<string>();
  /** What has an owner in this run. */
  readonly #given = new Set<string>();
  /** What a message has named, to be deleted perhaps. */
  readonly #disputed = new Set<string>();

  constructor(
    private readonly cache: Pick<EndpointCache, "mark">,
    private readonly platformTime: () => number | undefined,
  ) {}

  /** Begins a create. It ends with `end`, whatever becomes of it. */
  begin(wanted: Wanted): OpenCreate {
    const create: OpenCreate = { ...wanted, lost: [] };
    this.#open.add(create);
    return create;
  }

  /** True where the answer to any create of this run was lost. */
  get hasLost(): boolean {
    return this.#lostNames.size > 0;
  }

  /** True for an endpoint that a create of this run has made, and whose answer was lost: no other request gives its name. */
  hasMade({ name }: Pick<EndpointRecord, "name">): boolean {
    return name !== undefined && this.#lostNames.has(name);
  }

  /** Ends a create; it no longer waits for an endpoint. */
  end(create: OpenCreate): void {
    this.#open.delete(create);
  }

  /** Makes one attempt. `send` is given what is to be told right before it goes out. */
  async attempt(create: OpenCreate, send: (onAttempt: () => void) => Promise<EndpointChange>): Promise<EndpointChange> {
    let sent: SentAttempt | undefined;
    const goesOut = () => {
      sent = { mark: this.cache.mark(), sentAtMs: this.platformTime() };
      create.answering = ended;
    };
    const work = this.#answered(create, {
      send: () => send(goesOut),
      lose: () => sent && create.lost.push({ ...sent, lostAtMs: this.platformTime() }),
    });
    const ended: Promise<void> = work.then(
      () => {},
      () => {},
    );
    try {
      return await work;
    } finally {
      create.answering = undefined;
    }
  }

  /** Gives an endpoint to a create, which ends with it. */
  give(create: OpenCreate, { id }: Pick<EndpointRecord, "id">): void {
    this.#given.add(id);
    this.end(create);
  }

  /** True for an endpoint that a create of this run has made or was given. */
  isGiven(endpointId: string): boolean {
    return this.#given.has(endpointId);
  }

  /** Takes note of what a message names because nobody can tell whose it is: from then on nobody is given it. */
  dispute(records: readonly Pick<EndpointRecord, "id">[]): void {
    for (const { id } of records) this.#disputed.add(id);
  }

  /** True for an endpoint that a message has named. */
  isDisputed(endpointId: string): boolean {
    return this.#disputed.has(endpointId);
  }

  /** The creates at the same place that have lost an answer and have no endpoint yet, the given one among them. */
  lostBeside({ branchId, type }: Pick<Wanted, "branchId" | "type">): OpenCreate[] {
    return [...this.#open].filter((one) => one.lost.length > 0 && one.branchId === branchId && one.type === type);
  }

  /** Waits until all creates at the same place that are on their way right now have their answers, or have lost them. */
  async answersBeside({ branchId, type }: Pick<Wanted, "branchId" | "type">): Promise<void> {
    const beside = [...this.#open].filter((one) => one.branchId === branchId && one.type === type);
    await Promise.all(beside.map(({ answering }) => answering));
  }

  async #answered(
    create: OpenCreate,
    { send, lose }: { send(): Promise<EndpointChange>; lose(): void },
  ): Promise<EndpointChange> {
    try {
      const answer = await send();
      this.keepsNames = answer.endpoint.name === create.name;
      this.give(create, answer.endpoint);
      return answer;
    } catch (error) {
      if (mayBeCreated(error)) {
        this.#lostNames.add(create.name);
        lose();
      }
      throw error;
    }
  }
}
