import type { PlannedChange } from "../../endpoint/impact/impact";
import type { PartialError } from "../../platform/errors";

/** A read-write endpoint's place: one branch of one project. */
export interface Place {
  projectId: string;
  branchId: string;
}

/** Where a resource's read-write endpoint stood when the run began, and where the program puts it. */
export interface Places {
  from?: Place | undefined;
  to?: Place | undefined;
  /** True when it leaves `from` early enough for another to take it. */
  leavesFirst?: boolean;
}

interface Declared {
  /** The endpoint's id, once Diff, Update or Create has shown it. */
  endpointId?: string;
  /** The place it had when the run began, for a read-write endpoint that was already there. */
  from?: Place;
  /** The place the program gives it, for a read-write endpoint. */
  to?: Place;
  /** True when it leaves `from` early enough for another to take it: moved in place, or deleted first. */
  leavesFirst?: boolean;
  /** True once Check has met it in this run. */
  isChecked?: boolean;
  /** True where Check was shown what it had before. */
  wasThere?: boolean;
  /** How often Diff was asked about it, less once for a refresh. */
  comparisons?: number;
  /** The change in place that Diff has announced for it. */
  announced?: Announced | undefined;
  /** How far its create or update got in this run, where that failed. */
  failed?: HalfWay | undefined;
}

/** A change in place that Diff has announced, and the names of the properties that messages must not show. */
export interface Announced {
  change: PlannedChange;
  secret: ReadonlySet<string>;
}

/** What a change that failed had come to: the endpoint's id and its state. */
export type HalfWay = Pick<PartialError, "id" | "state">;

/**
 * What one run has learnt of its resources: which read-write endpoints of the program stand where, so that two of them on one
 * branch are told apart from one that leaves and one that comes. One for each process of a host.
 */
export class RunLedger {
  readonly #byUrn = new Map<string, Declared>();
  readonly #holders = new Map<string, string>();
  /** By place, the resources that stood there when the run began. */
  readonly #origins = new Map<string, Set<string>>();
  readonly #owners = new Map<string, string>();
  readonly #takenOver = new Set<string>();

  /**
   * Takes note of a resource that was checked, and whether it was there before. Undefined places are those of endpoints
   * that are not read-write.
   */
  declare(urn: string, places: Places, wasThere = false): void {
    const known = this.#byUrn.get(urn) ?? {};
    if (known.to && this.#holders.get(keyOf(known.to)) === urn) this.#holders.delete(keyOf(known.to));
    const declared: Declared = { ...known, isChecked: true, wasThere: wasThere || known.wasThere === true };
    // A change that is repeated within the run is not checked again: this is another run.
    delete declared.failed;
    // A second Check of the same resource, with nothing old, is the one of a replacement: what was there stays known.
    if (places.from) {
      declared.from = places.from;
      declared.leavesFirst = places.leavesFirst ?? false;
      this.#moveOrigin(urn, known.from, places.from);
    }
    if (places.to) declared.to = places.to;
    else delete declared.to;
    this.#byUrn.set(urn, declared);
    if (places.to && !this.#holders.has(keyOf(places.to))) this.#holders.set(keyOf(places.to), urn);
  }

  /** The URN of another resource of this run that claimed the place first. */
  claimedBy(place: Place, urn: string | undefined): string | undefined {
    const holder = this.#holders.get(keyOf(place));
    return holder !== undefined && holder !== urn ? holder : undefined;
  }

  /** Where the resource's read-write endpoint stood when the run began. */
  initialBranch(urn: string | undefined): Place | undefined {
    return urn === undefined ? undefined : this.#byUrn.get(urn)?.from;
  }

  /** Takes note of the id behind a resource. */
  identify(urn: string | undefined, endpointId: string): void {
    if (urn === undefined) return;
    this.#byUrn.set(urn, { ...this.#byUrn.get(urn), endpointId });
    this.#owners.set(endpointId, urn);
  }

  /** The id behind a resource, where this run has seen it. */
  endpointOf(urn: string | undefined): string | undefined {
    return urn === undefined ? undefined : this.#byUrn.get(urn)?.endpointId;
  }

  /** True when the endpoint is known to be that of another resource that the program declares. */
  isAnothers(endpointId: string, urn: string | undefined): boolean {
    const owner = this.#owners.get(endpointId);
    return owner !== undefined && owner !== urn && this.#byUrn.get(owner)?.isChecked === true;
  }

  /** True where Check was shown, in this run, what the resource had before. */
  wasThere(urn: string | undefined): boolean {
    return urn !== undefined && this.#byUrn.get(urn)?.wasThere === true;
  }

  /** Takes note of what Diff has announced: a change in place, or undefined for a replacement or no change. */
  announce(urn: string | undefined, announced: Announced | undefined): void {
    if (urn === undefined) return;
    const known = this.#byUrn.get(urn) ?? {};
    this.#byUrn.set(urn, { ...known, comparisons: (known.comparisons ?? 0) + 1, announced });
  }

  /** Takes note that a refresh has read the resource. The engine compares what was read, which plans nothing yet. */
  recordRefresh(urn: string | undefined): void {
    if (urn === undefined) return;
    this.#byUrn.set(urn, { ...this.#byUrn.get(urn), comparisons: -1 });
  }

  /** The change in place that Diff has announced for the resource. */
  announcedFor(urn: string | undefined): Announced | undefined {
    return urn === undefined ? undefined : this.#byUrn.get(urn)?.announced;
  }

  /** True once Diff was asked to plan for the resource; a replacement by force (--replace, taint) comes without. */
  isCompared(urn: string | undefined): boolean {
    return urn !== undefined && (this.#byUrn.get(urn)?.comparisons ?? 0) > 0;
  }

  /** Takes note of how far a create or an update got; undefined once one has ended well. */
  recordUnfinished(urn: string | undefined, failed: HalfWay | undefined): void {
    if (urn === undefined) return;
    this.#byUrn.set(urn, { ...this.#byUrn.get(urn), failed });
  }

  /** How far the resource's create or update got in this run, where that failed and is now repeated. */
  unfinished(urn: string | undefined): HalfWay | undefined {
    return urn === undefined ? undefined : this.#byUrn.get(urn)?.failed;
  }

  /** The resource of this run that stood at the place and leaves it, and whether it does so first. */
  vacatedBy(place: Place, urn: string | undefined): { urn: string; first: boolean } | undefined {
    for (const other of this.#origins.get(keyOf(place)) ?? []) {
      const declared = this.#byUrn.get(other);
      if (other === urn || !declared || (declared.to && keyOf(declared.to) === keyOf(place))) continue;
      return { urn: other, first: declared.leavesFirst ?? false };
    }
    return undefined;
  }

  /** Takes note that a create of this run took over an endpoint that was there already. */
  recordTakenOver(endpointId: string): void {
    this.#takenOver.add(endpointId);
  }

  /** True when a create of this run took the endpoint over: a delete of it is the old half of a forced replacement. */
  wasTakenOver(endpointId: string): boolean {
    return this.#takenOver.has(endpointId);
  }

  /** Forgets everything, at the end of a run. */
  clear(): void {
    this.#byUrn.clear();
    this.#holders.clear();
    this.#origins.clear();
    this.#owners.clear();
    this.#takenOver.clear();
  }

  #moveOrigin(urn: string, before: Place | undefined, now: Place): void {
    if (before) this.#origins.get(keyOf(before))?.delete(urn);
    const key = keyOf(now);
    this.#origins.set(key, (this.#origins.get(key) ?? new Set()).add(urn));
  }
}

function keyOf({ projectId, branchId }: Place): string {
  return `${projectId}/${branchId}`;
}
