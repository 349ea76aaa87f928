/** `state list`: who owns which endpoint, by an exported state and, with `--live`, by what the platform has. */
import { idOf, idOfState } from "../../provider/endpoint/identity";
import { ownerNameIn } from "../../provider/endpoint/ownership-name";
import { BOOKKEEPING, bookkeepingOf, type EndpointState } from "../../provider/endpoint/state";
import { decodeMembers, type StoredMember } from "../../provider/fleet/state";
import { memberUrn, nameOfUrn } from "../../provider/lib/owner";
import type { EndpointRecord } from "../../provider/platform/records";
import { hostOf } from "../hosts";
import type { Cell, Column } from "../terminal/table";
import { memberInputsOf } from "./move";
import { reveal } from "./secrets";
import { resourcesOf, type StackExport, type StoredResource } from "./stack-export";

type Values = Record<string, unknown>;

/** An endpoint, and who owns it. */
export interface Owned {
  /** `PROJECT/ENDPOINT`. */
  id: string;
  /** The resource, or the member as a child of its fleet; absent where no resource of the state has the endpoint. */
  owner?: string;
  /** How it came to its owner, if the state tells: an imported endpoint that was changed since looks created. */
  came?: "adopted" | "imported" | "taken over";
  /** What becomes of it when its owner is destroyed. */
  onDestroy?: "deleted" | "released" | "kept" | "refused" | "left alone";
  /** Why its owner will not stay: a replacement left it, or it is to be replaced. */
  leaves?: true;
  /** Absent without `--live`: whether the platform has it, for whom it was made by its name, and where it is. */
  live?: { isThere: boolean; madeFor?: string; branchId?: string; type?: string };
}

/** The owners of a state, and the fleets whose members it hides. */
export interface Owners {
  owned: Owned[];
  hidden: string[];
}

/** The endpoints of a state with their owners, in its order. */
export function ownersIn(state: StackExport): Owners {
  const owners: Owners = { owned: [], hidden: [] };
  for (const resource of resourcesOf(state)) {
    const host = hostOf(resource.type);
    if (!host) continue;
    const owned = host.endpointType === resource.type ? ownedBySingle(resource) : ownedByFleet(resource);
    if (owned) owners.owned.push(...owned);
    else owners.hidden.push(nameOfUrn(resource.urn));
  }
  return owners;
}

/** The same beside what the platform has in the projects: what no resource of the state owns comes last. */
export function withLive(owned: readonly Owned[], records: readonly EndpointRecord[]): Owned[] {
  // By the endpoint alone: a project's id may be a secret, and no two endpoints of the platform have one id.
  const endpointOf = ({ id }: Owned) => id.slice(id.indexOf("/") + 1);
  const there = new Map(records.map((record) => [record.id, record]));
  const known = new Set(owned.map(endpointOf));
  return [
    ...owned.map((one) => ({ ...one, live: liveOf(there.get(endpointOf(one))) })),
    ...records.filter((record) => !known.has(record.id)).map((record) => ({ id: idOf(record), live: liveOf(record) })),
  ];
}

/** The columns of the table; those of `--live` last. */
export function ownerColumns(isLive: boolean): Column[] {
  return [
    { title: "Endpoint" },
    { title: "Owner" },
    { title: "Came by", leaveOut: 3 },
    { title: "On destroy" },
    ...(isLive ? [{ title: "Branch", leaveOut: 1 }, { title: "Made for" }, { title: "There", leaveOut: 2 }] : []),
  ];
}

/** The rows of a table: the endpoints, and the fleets whose members are secret, which may own the unowned ones. */
export function ownerRows(owned: readonly Owned[], hidden: readonly string[], isLive: boolean): Cell[][] {
  const nobody = hidden.length > 0 ? "not known" : "none";
  const rest = Array.from({ length: isLive ? 5 : 2 }, () => "");
  return [
    ...hidden.map((fleet) => ["(members cannot be read)", fleet, ...rest]),
    ...owned.map((one) => ownerRow(one, nobody)),
  ];
}

function ownerRow({ id, owner, came, onDestroy, leaves, live }: Owned, nobody: string): Cell[] {
  const name = owner === undefined ? nobody : nameOfUrn(owner);
  return [
    id,
    leaves ? `${name} (leaves)` : name,
    came ?? "",
    onDestroy ?? "",
    ...(live ? [live.branchId ?? "", live.madeFor ?? "", live.isThere ? "yes" : "gone"] : []),
  ];
}

function liveOf(record: EndpointRecord | undefined): Owned["live"] & object {
  if (!record) return { isThere: false };
  const madeFor = ownerNameIn(record);
  const { branchId, type } = record;
  return { isThere: true, ...(madeFor !== undefined && { madeFor }), branchId, type };
}

function ownedBySingle(resource: StoredResource): Owned[] {
  const { id } = resource;
  if (id === undefined || id === "") return [];
  const state = reveal(resource.outputs ?? {}).value as EndpointState;
  return [{ id, owner: resource.urn, ...standing(resource, { state }) }];
}

/** Undefined where the members are a secret that the export does not show. */
function ownedByFleet(resource: StoredResource): Owned[] | undefined {
  const { [BOOKKEEPING]: book, ...shown } = reveal(resource.outputs ?? {}).value as Values;
  const inputs = reveal(resource.inputs ?? {}).value as Values;
  if (isHidden(shown.endpoints)) return undefined;
  const said = isHidden(inputs.endpoints) ? new Map<string, Values>() : memberInputsOf(inputs);
  const members = decodeMembers(isHidden(book) ? shown : { ...shown, [BOOKKEEPING]: book });
  return [...members].flatMap(([key, member]) => {
    const { projectId = said.get(key)?.projectId ?? inputs.projectId, endpointId } = member.state;
    if (endpointId === undefined) return [];
    // After a partial failure the engine has the inputs from before it, so that the options are read from the state.
    const id = idOfState({ projectId: isHidden(projectId) ? "(secret)" : projectId, endpointId });
    return [{ id, owner: memberUrn(resource.urn, key), ...standing(resource, member) }];
  });
}

function standing(resource: StoredResource, member: StoredMember): Omit<Owned, "id" | "owner"> {
  const book = bookkeepingOf(member.state);
  const isTaken = book.takenOverAt !== undefined || member.importId !== undefined;
  const came = book.adopted ? "adopted" : book.imported ? "imported" : isTaken ? "taken over" : undefined;
  const leaves = resource.delete || resource.pendingReplacement;
  return { ...(came && { came }), onDestroy: fateOf(resource, member), ...(leaves && { leaves }) };
}

function fateOf(
  resource: StoredResource,
  { state, protect, retainOnDelete }: StoredMember,
): Owned["onDestroy"] & string {
  if (resource.external) return "left alone";
  if (resource.protect || protect) return "refused";
  if (resource.retainOnDelete || retainOnDelete) return "kept";
  return bookkeepingOf(state).adopted ? "released" : "deleted";
}

function isHidden(value: unknown): boolean {
  return reveal(value).isHidden && reveal(value).secrets.some((path) => path.length === 0);
}
