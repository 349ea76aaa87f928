/** A run's cache of a project's endpoints: one shared list, updated from the run's own changes. */
import type { Clock } from "../../lib/clock";
import type { Api } from "../api";
import { CancelledError, HttpError, isKind } from "../errors";
import type { RequestOptions } from "../http/request";
import { ages } from "../policy";
import { type EndpointRecord, wholeRecord } from "../records";
import { noticed } from "../until";
import { once, type Shared, shared } from "./shared";

/** The snapshot that a reader needs. The signal ends this reader's wait. */
export interface Freshness extends Pick<RequestOptions, "signal" | "onWait"> {
  /** Oldest acceptable list: the clock's time of its request, in milliseconds. Default: the run's snapshot. */
  sinceMs?: number | undefined;
}

/** A change by this run: the endpoint after it, or undefined after a delete. */
interface OwnChange {
  sequence: number;
  record: EndpointRecord | undefined;
}

/**
 * A project's endpoints (specification, section 4.4): a shared snapshot of one list, with the run's own changes
 * applied.
 */
export class EndpointCache {
  #snapshot: EndpointSnapshot | undefined;
  #askedAtMs = 0;
  /** The running list, and the time of its request. */
  #asked: { atMs: number; list: Shared<EndpointSnapshot> } | undefined;
  readonly #libraries = once(
    () => this.api.listPreloadLibraries(this.projectId),
    (error) =>
      (error instanceof HttpError && error.status === 501) ||
      isKind(error, "not_found", "forbidden", "invalid_request", "bad_answer"),
  );
  /** Own changes that lists do not show yet. */
  readonly #changes = new Map<string, OwnChange>();
  #sequence = 0;
  /** Every endpoint seen, with the number of endpoints seen before it. */
  readonly #seen = new Map<string, number>();
  /** Every endpoint that a list has shown. */
  readonly #listed = new Set<string>();

  constructor(
    private readonly api: Pick<Api, "listEndpoints" | "getEndpoint" | "listPreloadLibraries" | "waitingFor">,
    private readonly clock: Clock,
    private readonly projectId: string,
  ) {}

  /** Returns the project's endpoints. One list runs at a time; readers that need a newer one share the next. */
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
      // A failed older list fails its own readers only.
      await snapshot.catch(() => {});
    }
  }

  /** Reads one endpoint, by id if the list lacks fields; `undefined` if it is gone. */
  async endpoint(endpointId: string, freshness: Freshness = {}): Promise<EndpointRecord | undefined> {
    const snapshot = await this.snapshot(freshness);
    // A list that has not shown the endpoint yet cannot prove that it still exists.
    const isShown = freshness.sinceMs === undefined || this.#listed.has(endpointId);
    const record = isShown ? snapshot.get(endpointId) : undefined;
    return record ?? (await this.readById(endpointId, freshness));
  }

  /** The newest list, without a request; undefined before the first one. */
  get newest(): EndpointSnapshot | undefined {
    return this.#snapshot;
  }

  /** An endpoint as last seen, without a request. */
  lastSeen(endpointId: string): EndpointRecord | undefined {
    return this.#snapshot?.get(endpointId);
  }

  /** Whether the newest list, with this run's own changes, has the endpoint; undefined before the first list. */
  shows(endpointId: string): boolean | undefined {
    return this.#snapshot && this.#snapshot.find(endpointId) !== undefined;
  }

  /** A mark of this moment for `wasSeenBefore`; undefined before the first list. */
  mark(): number | undefined {
    return this.#snapshot && this.#seen.size;
  }

  /** True for an endpoint that the run saw before the mark. */
  wasSeenBefore(mark: number, endpointId: string): boolean {
    return (this.#seen.get(endpointId) ?? mark) < mark;
  }

  /** Reads one endpoint by id and updates the snapshot; `undefined` if it is gone. */
  async readById(endpointId: string, options: RequestOptions = {}): Promise<EndpointRecord | undefined> {
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

  /** Libraries that endpoints can preload, read once; undefined if the platform does not list them. */
  preloadLibraries({ signal, onWait }: RequestOptions = {}): Promise<readonly string[] | undefined> {
    return this.#noticed(this.#libraries(signal), "the list of the project's libraries", onWait);
  }

  /** Applies an own change; readers see it at once. */
  put(record: EndpointRecord): void {
    this.#change(record.id, record);
  }

  /** Applies an own delete. */
  remove(endpointId: string): void {
    this.#change(endpointId, undefined);
  }

  /** Reports a long wait for work that others may have begun: its blocker, or else what it is. */
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

    for (const [id, change] of this.#changes) {
      const isBehind = isOlder(snapshot.find(id), change.record) || !this.#listed.has(id);
      if (change.sequence > sequence || isBehind) snapshot.write(id, change.record);
      // Once a list shows the change, lists are newer.
      else this.#changes.delete(id);
    }

    this.#snapshot = snapshot;
    this.#askedAtMs = atMs;
    return snapshot;
  }
}

/**
 * True if a list shows an endpoint from before an own change. Ids are unique; others may have deleted an absent one.
 */
function isOlder(listed: EndpointRecord | undefined, own: EndpointRecord | undefined): boolean {
  if (!listed) return false;
  return own === undefined || Date.parse(listed.updatedAt ?? "") < Date.parse(own.updatedAt ?? "");
}

/** One list of a project's endpoints, indexed by id, branch and name. An update takes constant time. */
export class EndpointSnapshot {
  readonly #byId = new Map<string, EndpointRecord>();
  readonly #byBranch = new Index(({ branchId }) => branchId);
  readonly #byStem = new Index(({ name = "" }) => name.slice(0, Math.max(0, name.lastIndexOf("-"))));

  constructor(records: Iterable<EndpointRecord>) {
    for (const record of records) this.write(record.id, record);
  }

  /** The endpoint, if the list has its whole record; otherwise it must be read by id. */
  get(endpointId: string): EndpointRecord | undefined {
    const record = this.#byId.get(endpointId);
    return record && isWhole(record) ? record : undefined;
  }

  /** The endpoint, however much of it the list has. */
  find(endpointId: string): EndpointRecord | undefined {
    return this.#byId.get(endpointId);
  }

  /** The endpoints of a branch, in the platform's order. */
  onBranch(branchId: string): EndpointRecord[] {
    return this.#byBranch.get(branchId);
  }

  /** The endpoints named `STEM-SUFFIX`, where the suffix has no dash. */
  named(stem: string): EndpointRecord[] {
    return this.#byStem.get(stem);
  }

  /** All endpoints, in the platform's order. */
  all(): EndpointRecord[] {
    return [...this.#byId.values()];
  }

  /** Stores an endpoint's current record; undefined removes it. */
  write(endpointId: string, record: EndpointRecord | undefined): void {
    const known = this.#byId.get(endpointId);
    for (const index of [this.#byBranch, this.#byStem]) index.replace(known, record);
    if (record) this.#byId.set(endpointId, record);
    else this.#byId.delete(endpointId);
  }
}

/** Endpoints grouped by one key. */
class Index {
  readonly #groups = new Map<string, Map<string, EndpointRecord>>();

  constructor(private readonly keyOf: (record: EndpointRecord) => string) {}

  get(key: string): EndpointRecord[] {
    return [...(this.#groups.get(key)?.values() ?? [])];
  }

  /** Replaces an endpoint's record; under an unchanged key it keeps its position. */
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
