/** A run's cache of a project's endpoints: one shared list, updated by the answers to its own calls. */
import type { Clock } from "../../lib/clock";
import type { Api } from "../api";
import { CancelledError, HttpError, isKind } from "../errors";
import type { RequestOptions } from "../http/request";
import { ages } from "../policy";
import { type BranchRecord, type EndpointRecord, wholeRecord } from "../records";
import { noticed } from "../until";
import { type Shared, shared, untilAborted } from "./shared";

/** Which snapshot a reader wants. The signal ends this reader's wait. */
export interface Freshness extends Pick<RequestOptions, "signal" | "onWait"> {
  /** Only a list asked for at this moment of the clock, in milliseconds, or later will do. Default: the run's snapshot. */
  sinceMs?: number | undefined;
}

/** A change that this run made: the endpoint as it then was, or undefined where it was deleted. */
interface OwnChange {
  sequence: number;
  record: EndpointRecord | undefined;
}

/** A project's endpoints (specification, section 4.4): the snapshot of one list, which all share, with the run's own changes written in. */
export class EndpointCache {
  #snapshot: EndpointSnapshot | undefined;
  #askedAtMs = 0;
  /** The list that is under way, and when it was asked for. */
  #asked: { atMs: number; list: Shared<EndpointSnapshot> } | undefined;
  readonly #branches = once(
    async () => {
      const branches = await this.api.listBranches(this.projectId);
      return new Map(branches.map((branch) => [branch.id, branch]));
    },
    // The project itself was readable, so a 404 or 405 here means that the platform lacks the call.
    (error) => isKind(error, "not_found", "invalid_request"),
  );
  readonly #libraries = once(
    () => this.api.listPreloadLibraries(this.projectId),
    (error) =>
      (error instanceof HttpError && error.status === 501) ||
      isKind(error, "not_found", "forbidden", "invalid_request", "bad_answer"),
  );
  /** Own changes that no list has shown yet. */
  readonly #changes = new Map<string, OwnChange>();
  #sequence = 0;
  /** Every endpoint that was ever seen, by how many were seen before it. */
  readonly #seen = new Map<string, number>();
  #firstMark: number | undefined;
  /** Every endpoint that a list has shown. */
  readonly #listed = new Set<string>();

  constructor(
    private readonly api: Pick<
      Api,
      "listEndpoints" | "getEndpoint" | "listBranches" | "getBranch" | "listPreloadLibraries" | "waitingFor"
    >,
    private readonly clock: Clock,
    private readonly projectId: string,
  ) {}

  /** The project's endpoints. One list is under way at a time: who needs a newer one than that shares the next. */
  async snapshot({ sinceMs, signal, onWait }: Freshness = {}): Promise<EndpointSnapshot> {
    const nowMs = this.clock.now();
    const wantedMs = Math.min(sinceMs ?? nowMs - ages.planningMs, nowMs);
    for (;;) {
      if (signal?.aborted) throw new CancelledError();
      if (this.#snapshot && this.#askedAtMs >= wantedMs) return this.#snapshot;
      this.#asked ??= this.#ask();
      const { atMs, list } = this.#asked;
      const snapshot = this.#noticed(list.wait(signal), "the list of the project's endpoints", onWait);
      if (atMs >= wantedMs) return await snapshot;
      // How the older list ends is its own readers' business.
      await snapshot.catch(() => {});
    }
  }

  /** Reads one endpoint, by id if the list lacks fields. `undefined` if the platform has deleted it. */
  async endpoint(endpointId: string, freshness: Freshness = {}): Promise<EndpointRecord | undefined> {
    const snapshot = await this.snapshot(freshness);
    // Of what no list has shown yet, no list tells that it is still there.
    const isShown = freshness.sinceMs === undefined || this.#listed.has(endpointId);
    const record = isShown ? snapshot.get(endpointId) : undefined;
    return record ?? (await this.confirm(endpointId, freshness));
  }

  /** One endpoint as it was last seen, without a call. */
  lastSeen(endpointId: string): EndpointRecord | undefined {
    return this.#snapshot?.get(endpointId);
  }

  /** A mark of this moment, for `wasSeenBefore`. Undefined before the first list, which alone shows what is there. */
  mark(): number | undefined {
    return this.#snapshot && this.#seen.size;
  }

  /** True for an endpoint that the run's first list has shown: no change of this run has brought it. */
  wasThere(endpointId: string): boolean {
    return this.wasSeenBefore(this.#firstMark ?? 0, endpointId);
  }

  /** True for an endpoint that this run had seen before the mark was made. */
  wasSeenBefore(mark: number, endpointId: string): boolean {
    return (this.#seen.get(endpointId) ?? mark) < mark;
  }

  /** One endpoint as the platform has it now, asked for by id and written in. `undefined` when it is gone. */
  async confirm(endpointId: string, options: RequestOptions = {}): Promise<EndpointRecord | undefined> {
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

  /** Whether the branch exists: by the list, or by id for a newer branch. True on a platform without these calls. */
  async hasBranch(branchId: string, options: RequestOptions = {}): Promise<boolean> {
    const branches = await this.#listBranches(options);
    if (!branches || branches.has(branchId)) return true;
    try {
      await this.api.getBranch(this.projectId, branchId, options);
      return true;
    } catch (error) {
      if (isKind(error, "not_found")) return false;
      throw error;
    }
  }

  /** The libraries that endpoints can load at their start, read once. Undefined if the platform does not list them. */
  preloadLibraries({ signal, onWait }: RequestOptions = {}): Promise<readonly string[] | undefined> {
    return this.#noticed(this.#libraries(signal), "the list of the project's libraries", onWait);
  }

  /** The branches that took the place of another one when snapshots were restored, one after the other; the last has it now. */
  async successors(branchId: string, options: RequestOptions = {}): Promise<BranchRecord[]> {
    const branches = [...((await this.#listBranches(options))?.values() ?? [])];
    const line: BranchRecord[] = [];
    for (let ids = [branchId]; ids.length > 0; ) {
      const next = branches.filter((one) => ids.includes(one.restoredAs ?? "") && !line.includes(one));
      line.push(...next);
      ids = next.map(({ id }) => id);
    }
    return line;
  }

  /** Writes an own change in: readers see it at once. */
  put(record: EndpointRecord): void {
    this.#change(record.id, record);
  }

  /** Writes an own delete in. */
  remove(endpointId: string): void {
    this.#change(endpointId, undefined);
  }

  #listBranches({ signal, onWait }: RequestOptions) {
    return this.#noticed(this.#branches(signal), "the list of the project's branches", onWait);
  }

  /** The end of work that others may have begun; it is told what holds it back, or else what it is. */
  #noticed<T>(work: Promise<T>, what: string, onWait: RequestOptions["onWait"]): Promise<T> {
    return noticed(this.clock, work, () => this.api.waitingFor() ?? what, onWait);
  }

  #change(endpointId: string, record: EndpointRecord | undefined): void {
    this.#sequence += 1;
    this.#changes.set(endpointId, { sequence: this.#sequence, record });
    this.#see(endpointId);
    this.#snapshot?.write(endpointId, record);
  }

  #see(endpointId: string): void {
    if (!this.#seen.has(endpointId)) this.#seen.set(endpointId, this.#seen.size);
  }

  #ask() {
    const atMs = this.clock.now();
    const end = () => {
      if (this.#asked?.list === list) this.#asked = undefined;
    };
    const list: Shared<EndpointSnapshot> = shared((signal) => this.#list(atMs, signal).finally(() => end()), end);
    return { atMs, list };
  }

  async #list(atMs: number, signal: AbortSignal): Promise<EndpointSnapshot> {
    const sequence = this.#sequence;
    const snapshot = new EndpointSnapshot(await this.api.listEndpoints(this.projectId, { signal }));
    if (signal.aborted) throw new CancelledError();
    for (const { id } of snapshot.all()) {
      this.#see(id);
      this.#listed.add(id);
    }
    this.#firstMark ??= this.#seen.size;
    for (const [id, change] of this.#changes) {
      const isBehind = isOlder(snapshot.find(id), change.record) || !this.#listed.has(id);
      if (change.sequence > sequence || isBehind) snapshot.write(id, change.record);
      // Once a list shows it, lists are the better witness.
      else this.#changes.delete(id);
    }
    this.#snapshot = snapshot;
    this.#askedAtMs = atMs;
    return snapshot;
  }
}

/** Asks once, for all who wait, and again after a failure; undefined where the platform does not have it. */
function once<T>(
  ask: () => Promise<T>,
  isAbsent: (error: unknown) => boolean,
): (signal: AbortSignal | undefined) => Promise<T | undefined> {
  let asked: Promise<T | undefined> | undefined;
  return (signal) => {
    asked ??= ask().catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      asked = undefined;
      throw error;
    });
    return untilAborted(asked, signal);
  };
}

/** True where a list shows an endpoint as before an own change. Ids are given once; what a list no longer shows, others may have deleted. */
function isOlder(listed: EndpointRecord | undefined, own: EndpointRecord | undefined): boolean {
  if (!listed) return false;
  return own === undefined || Date.parse(listed.updatedAt ?? "") < Date.parse(own.updatedAt ?? "");
}

/** One list of a project's endpoints, found by id, branch and name. Changes cost the same however many there are. */
export class EndpointSnapshot {
  readonly #byId = new Map<string, EndpointRecord>();
  readonly #byBranch = new Index(({ branchId }) => branchId);
  readonly #byStem = new Index(({ name = "" }) => name.slice(0, Math.max(0, name.lastIndexOf("-"))));

  constructor(records: Iterable<EndpointRecord>) {
    for (const record of records) this.write(record.id, record);
  }

  /** The endpoint with this id, if the list has its whole record. Otherwise it has to be read by id. */
  get(endpointId: string): EndpointRecord | undefined {
    const record = this.#byId.get(endpointId);
    return record && isWhole(record) ? record : undefined;
  }

  /** The endpoint with this id, whatever the list shows of it. */
  find(endpointId: string): EndpointRecord | undefined {
    return this.#byId.get(endpointId);
  }

  /** The endpoints of a branch, in the order the platform lists them. */
  onBranch(branchId: string): EndpointRecord[] {
    return this.#byBranch.get(branchId);
  }

  /** The endpoints whose name is this, a dash, and a last part without one. */
  named(stem: string): EndpointRecord[] {
    return this.#byStem.get(stem);
  }

  /** All endpoints, in the order the platform lists them. */
  all(): EndpointRecord[] {
    return [...this.#byId.values()];
  }

  /** Stores the current record of an endpoint; undefined if it is deleted. */
  write(endpointId: string, record: EndpointRecord | undefined): void {
    const known = this.#byId.get(endpointId);
    for (const index of [this.#byBranch, this.#byStem]) index.replace(known, record);
    if (record) this.#byId.set(endpointId, record);
    else this.#byId.delete(endpointId);
  }
}

/** Endpoints by one part of them. */
class Index {
  readonly #groups = new Map<string, Map<string, EndpointRecord>>();

  constructor(private readonly keyOf: (record: EndpointRecord) => string) {}

  get(key: string): EndpointRecord[] {
    return [...(this.#groups.get(key)?.values() ?? [])];
  }

  /** Takes one version of an endpoint out and another in, which keeps its place where the key is the same. */
  replace(known: EndpointRecord | undefined, record: EndpointRecord | undefined): void {
    const [before, after] = [known, record].map((one) => one && this.keyOf(one));
    if (known && before !== undefined && before !== after) this.#groups.get(before)?.delete(known.id);
    if (record && after !== undefined) {
      const group = this.#groups.get(after) ?? new Map<string, EndpointRecord>();
      this.#groups.set(after, group.set(record.id, record));
    }
  }
}

function isWhole(record: EndpointRecord): boolean {
  return record.type !== "" && Object.keys(wholeRecord).every((name) => record[name] !== undefined);
}
