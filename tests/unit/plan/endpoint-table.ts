/** Rows of resources and of what is on the platform, and what a plan makes of each. */
import { expect, test } from "vitest";
import type { Place } from "../../../provider/endpoint/identity";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor, resourceOwner } from "../../../provider/lib/owner";
import { type EndpointPlan, planEndpoint } from "../../../provider/plan/endpoint";
import type { Refusal } from "../../../provider/plan/refusal";
import { World } from "../../../provider/plan/world";
import { EndpointSnapshot } from "../../../provider/platform/project/endpoint-cache";
import { RunRecords } from "../../../provider/pulumi/run";

/** A resource in the order of the Checks. Places are written as `rw b1`. */
interface Resource {
  from?: string;
  to?: string;
  adopts?: true;
  takesUp?: true;
  /** Its step is answered before the next Check, or before that of another one. */
  done?: true | string;
  /** Those that it waits for, by a host that tells. */
  after?: string[];
  /** Its endpoint was taken over. */
  released?: true;
  noMoves?: true;
  /** It is replaced, whatever Diff said: a second Check shows nothing old; or the only one, where it goes with what it depends on. */
  byForce?: true | "with another";
}

/** What is on the platform: an id, its place, and the resource whose name it bears. */
type There = [id: string, place: string, bears?: string];

interface Row {
  there?: There[];
  resources: Record<string, Resource>;
  /** What becomes of each. */
  plans: Record<string, string>;
}

const urnOf = (name: string) => resourceOwner(`urn:pulumi:dev::shop::pgcompute:index:Endpoint::${name}`);
const nameOf = (urn: string | undefined) => urn?.split("::").at(-1);

/** A test for each row. */
export function table(rows: Record<string, Row>): void {
  test.each(Object.entries(rows))("%s", (_, row) => expect(planAll(row)).toEqual(row.plans));
}

function placeOf(text: string): Place {
  const [type, branchId = ""] = text.split(" ");
  return { projectId: "p", branchId, type: type === "rw" ? "read_write" : "read_only" };
}

/** Checks the resources one after the other; the endpoint of `one` has the id `ep-one`. */
function planAll({ there = [], resources }: Row): Record<string, string> {
  const run = new RunRecords();
  const own = Object.entries(resources).flatMap(([name, { from }]) => (from ? [[`ep-${name}`, from] as There] : []));
  const ids = new Set(there.map(([id]) => id));
  const records = [...own.filter(([id]) => !ids.has(id)), ...there].map(([id, place, bears]) => ({
    ...placeOf(place),
    id,
    ...(bears === undefined ? {} : { name: newOwnershipName(madeFor(urnOf(bears))) }),
    pgSettings: {},
  }));
  const plans = Object.entries(resources).map(([name, resource]) => {
    const urn = urnOf(name);
    for (const [one, { done }] of Object.entries(resources)) if (done === name) run.claims.done(urnOf(one));
    const { from, to, after, adopts, takesUp, noMoves, released, byForce, done } = resource;
    Object.assign(run.record(urn), { phase: { kind: "new", inputs: {} }, isReleased: released === true });
    const request = {
      owner: urn,
      from: from === undefined ? undefined : placeOf(from),
      to: to === undefined ? undefined : placeOf(to),
      adopts: adopts === true,
    };
    const world = new World({
      ledger: run,
      lists: new Map([["p", new EndpointSnapshot(records)]]),
      turn: { urn, after: after && new Set(after.map(urnOf)) },
      isOwn: (owner) => owner === urn,
      movesInPlace: noMoves !== true,
      takesUp: takesUp === true,
    });
    let planned: EndpointPlan | undefined;
    if (byForce !== "with another") {
      planned = planEndpoint(world, request);
      run.claims.put(planned.claim);
      expect(planned.why === undefined).toBe(
        planned.claim.arrival !== "replace" || planned.refusal !== undefined || !isMove(resource),
      );
    }
    if (from !== undefined) run.identify(urn, `ep-${name}`);
    if (byForce || !planned) {
      run.record(urn).compared = { inPlace: false };
      planned = planEndpoint(world, { ...request, from: undefined });
      run.claims.put(planned.claim);
    }
    const { claim, refusal, occupant: taken } = planned;
    if (done === true) run.claims.done(urn);
    return [name, refusal ? refused(refusal) : taken ? `adopt ${taken.id}` : (claim.arrival ?? "stays")];
  });
  return Object.fromEntries(plans);
}

function isMove({ from = "", to = "" }: Resource): boolean {
  return from.slice(0, 2) === to.slice(0, 2) && from !== to;
}

function refused(refusal: Refusal): string {
  switch (refusal.kind) {
    case "order":
      return `order: ${nameOf(refusal.first)}, ${nameOf(refusal.second)}`;
    case "declared_twice":
      return `declared twice: ${nameOf(refusal.first)}`;
    case "two_owners":
      return `two owners: ${refusal.urns.map(nameOf).join(", ")}`;
    case "leaves_late":
      return `leaves late: ${nameOf(refusal.other)}`;
    case "left_behind":
      return `${refusal.isNew ? "new " : ""}left behind: ${nameOf(refusal.other)}`;
    case "left":
      return `own: ${refusal.left.map(({ record }) => record.id).join()}`;
    case "released":
      return `released: ${refusal.occupant.id}`;
    case "occupied": {
      const owner = nameOf(refusal.other?.urn) ?? refusal.other?.name;
      const { leftBranchId, leaves } = refusal;
      const left = [
        ...(leftBranchId === undefined ? [] : [`, left ${leftBranchId}`]),
        ...(leaves === undefined ? [] : [`, leaves ${leaves.branchId}${leaves.inTime ? "" : " late"}`]),
      ].join("");
      return `${refusal.isNew ? "new " : ""}occupied: ${refusal.occupant.id}${owner ? ` of ${owner}` : ""}${left}`;
    }
    default:
      return refusal.kind;
  }
}
