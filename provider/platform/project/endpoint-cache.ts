import type { Clock } from "../../lib/clock";
import type { Api, CallOptions } from "../api";
import { isKind } from "../errors";
import type { BranchRecord, EndpointRecord } from "../records";
import { EndpointSnapshot } from "./snapshot";

/** A snapshot of a project's endpoints is used for at most this long, in milliseconds, before it is asked for again. */
export const FRESH_MS = 10_000;

/**
 * The same for planning (check and diff), where it only has to be as new as the run: what somebody else changes
 * meanwhile is met by the platform's answer, and a refusal is looked at afresh before it is given.
 */
export const PLANNING_FRESH_MS = 300_000;

/** How old a snapshot may be, in milliseconds; 0 asks the platform now (shared with who else asks). */
export interface Freshness {
  maxAgeMs?: number;
  /** Ends the wait for an answer; who shares another reader's call waits for that one. */
  signal?: AbortSignal | undefined;
}

/**
 * The endpoints of one project as the provider knows them (specification, section 4.4). Concurrent readers share one
 * list call; the program's own changes are written in and outlive a list that was asked for before they were made.
 */
export class EndpointCache {
  #snapshot: EndpointSnapshot | undefined;
  #pictureAt = 0;
  #asking: { at: number; promise: Promise<EndpointSnapshot> } | undefined;
  #branches: Promise<ReadonlyMap<string, BranchRecord> | "unsupported"> | undefined;
  /** Own changes: they hold against lists that were asked for before them, and against lists that are behind. */
  readonly #changes = new Map<string, { at: number; record: EndpointRecord | undefined }>();
  #sequence = 0;
  #pictureSequence = 0;

  constructor(
    private readonly api: Pick<Api, "listEndpoints" | "getEndpoint" | "listBranches" | "getBranch">,
    private readonly clock: Clock,
    private readonly projectId: string,
  ) {}

  /** The project's endpoints, at most `maxAgeMs` old (default `FRESH_MS`). */
  async snapshot({ maxAgeMs = FRESH_MS, signal }: Freshness = {}): Promise<EndpointSnapshot> {
    const now = this.clock.now();
    if (maxAgeMs > 0 && this.#snapshot && now - this.#pictureAt <= maxAgeMs) return this.#snapshot;
    // A list counts from the moment it was asked for, however long its answer takes.
    if (this.#asking && now - this.#asking.at <= maxAgeMs) return this.#asking.promise;
    const asking = { at: now, promise: this.#ask(now, signal) };
    this.#asking = asking;
    try {
      return await asking.promise;
    } finally {
      if (this.#asking === asking) this.#asking = undefined;
    }
  }

  /** One endpoint; what the list does not show is asked for by id. `undefined` when the platform says it is gone. */
  async endpoint(endpointId: string, freshness: Freshness = {}): Promise<EndpointRecord | undefined> {
    const snapshot = await this.snapshot(freshness);
    return snapshot.get(endpointId) ?? (await this.confirm(endpointId, optionsOf(freshness.signal)));
  }

  /** One endpoint as it was last seen, without a call. */
  lastSeen(endpointId: string): EndpointRecord | undefined {
    return this.#snapshot?.get(endpointId);
  }

  /** One endpoint as the platform has it now, asked for by id and written in. `undefined` when it is gone. */
  async confirm(endpointId: string, options: CallOptions = {}): Promise<EndpointRecord | undefined> {
    try {
      const record = await this.api.getEndpoint(this.projectId, endpointId, options);
      this.put(record);
      return record;
    } catch (error) {
      if (!isKind(error, "not_found")) throw error;
      this.remove(endpointId);
      return undefined;
    }
  }

  /** The endpoints of one branch, from the same snapshot. */
  async onBranch(branchId: string, options: Freshness = {}): Promise<readonly EndpointRecord[]> {
    return (await this.snapshot(options)).onBranch(branchId);
  }

  /**
   * Whether the branch exists. Branches are listed once; one that was born later is asked for by id. A platform
   * without these calls is believed.
   */
  async hasBranch(branchId: string, { signal }: Freshness = {}): Promise<boolean> {
    this.#branches ??= this.#askBranches(signal);
    const branches = await this.#branches;
    if (branches === "unsupported" || branches.has(branchId)) return true;
    try {
      await this.api.getBranch(this.projectId, branchId, optionsOf(signal));
      return true;
    } catch (error) {
      if (isKind(error, "not_found")) return false;
      throw error;
    }
  }

  /** Writes an own change in: readers see it at once. */
  put(record: EndpointRecord): void {
    this.#change(record.id, record);
  }

  /** Writes an own delete in. */
  remove(endpointId: string): void {
    this.#change(endpointId, undefined);
  }

  #change(endpointId: string, record: EndpointRecord | undefined): void {
    this.#sequence += 1;
    this.#changes.set(endpointId, { at: this.#sequence, record });
    if (this.#snapshot) write(this.#snapshot, endpointId, record);
  }

  async #ask(now: number, signal: AbortSignal | undefined): Promise<EndpointSnapshot> {
    const sequence = this.#sequence;
    const snapshot = new EndpointSnapshot(await this.api.listEndpoints(this.projectId, optionsOf(signal)));
    // A slower, older list must not overwrite a newer one.
    if (this.#snapshot && (now < this.#pictureAt || sequence < this.#pictureSequence)) return this.#snapshot;
    for (const [id, change] of this.#changes) {
      if (change.at > sequence || isBehind(snapshot.get(id), change.record)) write(snapshot, id, change.record);
    }
    this.#snapshot = snapshot;
    this.#pictureAt = now;
    this.#pictureSequence = sequence;
    return snapshot;
  }

  async #askBranches(signal: AbortSignal | undefined): Promise<ReadonlyMap<string, BranchRecord> | "unsupported"> {
    try {
      const branches = await this.api.listBranches(this.projectId, optionsOf(signal));
      return new Map(branches.map((branch) => [branch.id, branch]));
    } catch (error) {
      // The project itself was readable, so a 404 or 405 here means that the platform lacks the call.
      if (isKind(error, "not_found", "invalid_request")) return "unsupported";
      this.#branches = undefined;
      throw error;
    }
  }
}

/**
 * True where a list still shows an endpoint as it was before an own change. Ids are given once, so what was deleted
 * never comes back; what a list no longer shows may have been deleted by others, and is not insisted on.
 */
function isBehind(listed: EndpointRecord | undefined, own: EndpointRecord | undefined): boolean {
  if (!listed) return false;
  return own === undefined || Date.parse(listed.updatedAt) < Date.parse(own.updatedAt);
}

function optionsOf(signal: AbortSignal | undefined): CallOptions {
  return signal ? { signal } : {};
}

function write(snapshot: EndpointSnapshot, endpointId: string, record: EndpointRecord | undefined): void {
  if (record) snapshot.put(record);
  else snapshot.remove(endpointId);
}
