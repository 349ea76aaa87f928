import type { EndpointRecord } from "../records";

/** One list of a project's endpoints, found by id, branch and name. Changes cost the same however many there are. */
export class EndpointSnapshot {
  readonly #byId = new Map<string, EndpointRecord>();
  readonly #byBranch = new Map<string, Map<string, EndpointRecord>>();
  readonly #byStem = new Map<string, Map<string, EndpointRecord>>();

  constructor(records: Iterable<EndpointRecord>) {
    for (const record of records) this.put(record);
  }

  /** The endpoint with this id, where the list shows it whole; what it lacks is to be asked for by id. */
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
    return [...(this.#byBranch.get(branchId)?.values() ?? [])];
  }

  /** The endpoints whose name is this, a dash, and a last part without one. */
  named(stem: string): EndpointRecord[] {
    return [...(this.#byStem.get(stem)?.values() ?? [])];
  }

  /** All endpoints, in the order the platform lists them. */
  all(): EndpointRecord[] {
    return [...this.#byId.values()];
  }

  /** Adds an endpoint, or replaces what was known of it. */
  put(record: EndpointRecord): void {
    const known = this.#byId.get(record.id);
    if (known && known.branchId !== record.branchId) this.#byBranch.get(known.branchId)?.delete(record.id);
    if (known && known.name !== record.name) this.#byStem.get(stemOf(known))?.delete(record.id);
    this.#byId.set(record.id, record);
    putUnder(this.#byBranch, record.branchId, record);
    putUnder(this.#byStem, stemOf(record), record);
  }

  /** Forgets an endpoint. */
  remove(endpointId: string): void {
    const known = this.#byId.get(endpointId);
    if (!known) return;
    this.#byId.delete(endpointId);
    this.#byBranch.get(known.branchId)?.delete(endpointId);
    this.#byStem.get(stemOf(known))?.delete(endpointId);
  }
}

function putUnder(index: Map<string, Map<string, EndpointRecord>>, key: string, record: EndpointRecord): void {
  const known = index.get(key);
  if (known) known.set(record.id, record);
  else index.set(key, new Map([[record.id, record]]));
}

function stemOf({ name = "" }: EndpointRecord): string {
  return name.slice(0, Math.max(0, name.lastIndexOf("-")));
}

function isWhole({ type, host, autoscalingLimitMinCu, autoscalingLimitMaxCu, createdAt, updatedAt }: EndpointRecord) {
  const sizes = autoscalingLimitMinCu !== undefined && autoscalingLimitMaxCu !== undefined;
  return type !== "" && host !== undefined && sizes && createdAt !== undefined && updatedAt !== undefined;
}
