import type { EndpointRecord } from "../records";

/** One list of a project's endpoints, found by id and by branch. Changes cost the same however many there are. */
export class EndpointSnapshot {
  readonly #byId = new Map<string, EndpointRecord>();
  readonly #byBranch = new Map<string, Map<string, EndpointRecord>>();

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

  /** All endpoints, in the order the platform lists them. */
  all(): EndpointRecord[] {
    return [...this.#byId.values()];
  }

  /** Adds an endpoint, or replaces what was known of it. */
  put(record: EndpointRecord): void {
    const known = this.#byId.get(record.id);
    if (known && known.branchId !== record.branchId) this.#byBranch.get(known.branchId)?.delete(record.id);
    this.#byId.set(record.id, record);
    let branch = this.#byBranch.get(record.branchId);
    if (!branch) {
      branch = new Map();
      this.#byBranch.set(record.branchId, branch);
    }
    branch.set(record.id, record);
  }

  /** Forgets an endpoint. */
  remove(endpointId: string): void {
    const known = this.#byId.get(endpointId);
    if (!known) return;
    this.#byId.delete(endpointId);
    this.#byBranch.get(known.branchId)?.delete(endpointId);
  }
}

function isWhole({ type, host, autoscalingLimitMinCu, autoscalingLimitMaxCu, createdAt, updatedAt }: EndpointRecord) {
  const sizes = autoscalingLimitMinCu !== undefined && autoscalingLimitMaxCu !== undefined;
  return type !== "" && host !== undefined && sizes && createdAt !== undefined && updatedAt !== undefined;
}
