import { expect, test } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor, memberOwner, type Owner, resourceOwner } from "../../../provider/lib/owner";
import { decideTakeUp, madeForOther, orphansAmong, takeUpAt } from "../../../provider/plan/adopt";
import { World } from "../../../provider/plan/world";
import { EndpointSnapshot } from "../../../provider/platform/project/endpoint-cache";
import type { EndpointRecord } from "../../../provider/platform/records";
import { RunRecords } from "../../../provider/pulumi/run";
import { endpointRecord } from "../../support/samples";

const made = ["ep-new", "ep-old"].map((id) => endpointRecord({ id }));

const main = resourceOwner("urn:pulumi:dev::shop::pgcompute:index:Endpoint::main");
const other = resourceOwner("urn:pulumi:dev::shop::pgcompute:index:Endpoint::other");
const bears = (owner: Owner) => ({ name: newOwnershipName(madeFor(owner)) });

const PLACE = { projectId: "shop-1", branchId: "br-main-1", type: "read_only" };

/** An endpoint made for an owner on a day of a month. */
const madeOn = (day: number | undefined, id: string, { owner = main, type = "read_only" } = {}): EndpointRecord =>
  endpointRecord({ id, type, ...bears(owner), createdAt: day === undefined ? day : `2026-03-0${day}T00:00:00Z` });

/** The world of `main`, in a run in which these have these endpoints. */
function worldOf(
  owners: readonly (readonly [Owner, string])[],
  { takesUp = false, onBranch = [] }: { takesUp?: boolean | undefined; onBranch?: readonly EndpointRecord[] } = {},
): World {
  const run = new RunRecords();
  for (const [owner, id] of owners) {
    run.record(owner).isDeclared = true;
    run.identify(owner, id);
  }
  return new World(run, { urn: main }, new Map([[PLACE.projectId, new EndpointSnapshot(onBranch)]]), { takesUp });
}

test.each<[string, boolean, Parameters<typeof decideTakeUp>[2], string]>([
  ["nobody says so", false, {}, "left ep-new, ep-old"],
  ["somebody says so: the newest", true, {}, "takes ep-new"],
  ["this run has been shown one as the owner's", false, { metId: "ep-old" }, "takes ep-old"],
  ["it has been shown another one", false, { metId: "ep-gone" }, "left ep-new, ep-old"],
  ["a create of this run has made one", false, { isOfThisRun: ({ id }) => id === "ep-old" }, "takes ep-old"],
  ["what it was shown goes before what somebody says", true, { metId: "ep-old" }, "takes ep-old"],
])("what was made for an owner, where %s", (_, takesUp, known, expected) => {
  const { takes, left } = decideTakeUp(worldOf([], { takesUp }), made, known);
  expect(takes ? `takes ${takes.id}` : `left ${left.map(({ id }) => id).join(", ")}`).toBe(expected);
});

test("orphans are what earlier runs made for it since its own endpoint, and nobody has", () => {
  const records = [
    ...[madeOn(2, "ep-own"), madeOn(1, "ep-older"), madeOn(2, "ep-same-day"), madeOn(3, "ep-newer")],
    ...[madeOn(undefined, "ep-undated"), madeOn(4, "ep-taken"), madeOn(4, "ep-foreign", { owner: other })],
  ];
  const world = worldOf([
    [main, "ep-own"],
    [other, "ep-taken"],
  ]);
  expect(orphansAmong(world, main, records).map(({ id }) => id)).toEqual(["ep-newer", "ep-same-day", "ep-undated"]);
});

const two = [madeOn(1, "ep-old"), madeOn(2, "ep-new")];

test.each<
  [
    string,
    readonly EndpointRecord[],
    { hadOne?: true; has?: string; another?: string; takesUp?: true; ofThisRun?: string },
    string,
  ]
>([
  ["one was left", [madeOn(1, "ep-old")], {}, "left ep-old"],
  ["a sole one is what it is about to be replaced for", [madeOn(1, "ep-old")], { hadOne: true }, "left "],
  ["one of two may be an orphan", two, { hadOne: true }, "left ep-new, ep-old"],
  ["its own endpoint is another one", [madeOn(1, "ep-old")], { hadOne: true, has: "ep-own" }, "left ep-old"],
  ["what was left is of another type", [madeOn(1, "ep-old", { type: "read_write" })], {}, "left "],
  ["another one has it", [madeOn(1, "ep-old")], { another: "ep-old" }, "left "],
  ["the newest is taken up", two, { takesUp: true }, "takes ep-new"],
  [
    "the newest is another's by this run, perhaps only in this one",
    two,
    { takesUp: true, another: "ep-new" },
    "left ep-new, ep-old",
  ],
  ["a create of this run has made one", two, { ofThisRun: "ep-old" }, "takes ep-old"],
])("on a branch where %s", (_, onBranch, { hadOne = false, has, another, takesUp, ofThisRun }, expected) => {
  const owners = [...(has ? [[main, has] as const] : []), ...(another ? [[other, another] as const] : [])];
  const world = worldOf(owners, { takesUp, onBranch });
  world.ledger.record(main).hadOne = hadOne;
  const { takes, left } = takeUpAt(world, PLACE, ({ id }) => id === ofThisRun);
  expect(takes ? `takes ${takes.id}` : `left ${left.map(({ id }) => id).join(", ")}`).toBe(expected);
});

test.each<[string, string | undefined, Owner, ReturnType<typeof madeForOther>]>([
  ["nobody", "db", main, undefined],
  ["whoever asks", bears(main).name, main, undefined],
  ["another resource of the stack", bears(other).name, main, { name: "other", urn: other }],
  [
    "somebody with a name of the stack",
    bears(resourceOwner("elsewhere::other")).name,
    main,
    { name: "elsewhere-other" },
  ],
  ["another resource, as a fleet sees it", bears(other).name, memberOwner(main, "a"), { name: "other" }],
])("an endpoint was made for %s", (_, name, owner, expected) => {
  expect(madeForOther(endpointRecord({ name }), owner)).toEqual(expected);
});
