import { type PlanState, type PlanStep, SECRET } from "../../../cli/review/plan-model";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { itDecides, told } from "./support/brief";
import { branches, sideOf, states, stored, type, updateOf, urn, urnOfMember } from "./support/fleets";
import { planOf, stateOf, stepFor, updateOf as updateOfOne } from "./support/plans";

const fleetStep = (op: string, sides: Pick<PlanStep, "before" | "after"> = {}): PlanStep => ({
  op,
  urn,
  type,
  ...sides,
});
const wantedOnly = (wanted: Parameters<typeof sideOf>[1], more = {}) => ({ ...sideOf({}, wanted, more), outputs: {} });
const small = updateOf(["a"], { a: { branchId: "br-a", sizeCu: 4 } });
const oldFleet = { ...sideOf(states("a", "b"), branches("a", "b")), delete: true };
/** The provider of this name, as a plan has it. */
const providerOf = (name: string) => `urn:pulumi:prod::shop::pulumi:providers:pgcompute::${name}::1`;

/** An update whose provider is the stack's own, or has a name; `added` are members whose endpoint is gone. */
const by = (name: string, step: PlanStep, ...added: string[]): PlanStep => ({
  ...step,
  ...(step.after && { after: { ...step.after, provider: providerOf(name) } }),
  ...(added.length > 0 && { changed: added.map(pathOf), added: added.map(pathOf) }),
});
const pathOf = (key: string) => `endpoints["${key}"]`;
const elsewhere = { ...branches("c"), a: { branchId: "br-b" } };
const moving = updateOf(["a", "c"], elsewhere);
const replicas = { a: stored("a", { type: "read_only" }), c: stored("c") };
const movingReplica = {
  ...updateOf([], elsewhere),
  before: sideOf(replicas, { ...branches("c"), a: { branchId: "br-a", type: "read_only" } }),
  after: wantedOnly({ ...branches("c"), a: { branchId: "br-b", type: "read_only" } }),
};
const gone = (wanted: object, more = {}) => [
  by("default", updateOf(["a", "b"], { ...branches("a"), b: { branchId: "br-b", ...wanted } }, more), "b"),
];

/** An endpoint that is a child of the fleet, with a member's name; the member changes too. */
const child = (op: string, sizeCu: number): PlanStep[] => {
  const after = { inputs: { ...stateOf().inputs, sizeCu }, outputs: {} };
  const place = { urn: urnOfMember("b"), type: "pgcompute:index:Endpoint" };
  return [
    { op, ...place, before: stateOf(), ...(op === "update" && { after }) },
    updateOf(["a", "b"], { ...branches("a"), b: { branchId: "br-b", suspendTimeoutSeconds: 60 } }),
  ];
};

const arriving = (more = {}) => [
  updateOf(
    ["a"],
    {
      ...branches("a", "made"),
      adopts: { branchId: "br-adopts", adoptExisting: true },
      named: { branchId: "br-named", importId: "p-1/ep-named" },
      unknown: { branchId: "br-unknown", importId: UNKNOWN },
    },
    more,
  ),
];
const secretly = { pgSettings: SECRET };
/** A member whose own bookkeeping is secret, and of which the provider says that it changes. */
const maybeOpen = (): PlanStep[] => {
  const step = updateOf(["a", "b"], branches("a", "b"));
  const { a } = (step.before as PlanState).outputs.endpoints as Record<"a", object>;
  Object.assign(a, { __pgcompute: SECRET });
  return [{ ...step, changed: [pathOf("a")] }];
};
const settings = (changed?: string[]): PlanStep[] => [
  {
    ...updateOf(["a", "b"], { a: { branchId: "br-a", ...secretly }, b: { branchId: "br-b", ...secretly } }),
    ...(changed && { changed }),
  },
];
/** A member of which the provider names one property, and the program's inputs differ in others. */
const keeping = (name: string, wanted: object): PlanStep[] => {
  const before = sideOf(
    { a: stored("a", { poolerMode: "session" }) },
    { a: { branchId: "br-a", poolerMode: "session" } },
  );
  const after = wantedOnly({ a: { branchId: "br-a", poolerMode: "session", ...wanted } });
  return [{ ...updateOf([], {}), before, after, changed: [`${pathOf("a")}.${name}`] }];
};
itDecides("members of a fleet", {
  "are imported": [fleetStep("import", { after: wantedOnly({ a: { branchId: "br-a", importId: "p-1/ep-a" } }) })],
  "of the dynamic host change": [
    {
      ...small,
      urn: urn.replace(type, "pulumi-nodejs:dynamic/pgcompute:EndpointFleet"),
      type: "pulumi-nodejs:dynamic/pgcompute:EndpointFleet",
    },
  ],
  "go as an earlier fleet, but for what the later one has": [
    fleetStep("delete", { before: oldFleet }),
    updateOf(["a"], { a: { branchId: "br-a", sizeCu: 2 } }),
  ],
  "are not an endpoint of that name, which changes": child("update", 2),
  "are not an endpoint of that name, which goes": child("delete", 1),
  "move, by the stack's own provider": [by("default_1_2_0", moving)],
  "are replaced where the stack's setting says so": told(
    planOf([by("default", moving)], { "pgcompute:moves": "replace" }),
  ),
  "may be replaced where the setting is secret": told(
    planOf([by("default", moving)], { "pgcompute:moves": "[secret]" }),
  ),
  "may be replaced where their provider has settings of its own": [by("other", moving)],
  "are replaced where they are replicas, whatever the provider": [by("other", movingReplica)],
  "are created where their endpoint is gone": gone({}),
  "are created or take up what an interrupted run left, where theirs is gone": gone({}, { __takes: true }),
  "are created where theirs is gone, which importId had named": gone({ importId: "p-1/ep-b" }),
  "may take over what importId names, where theirs is gone": gone({ importId: "p-1/ep-9" }),
  "are replaced where their type is another": [updateOf(["a"], { a: { branchId: "br-a", type: "read_only" } })],
  "may be replaced where their type is not known yet": [updateOf(["a"], { a: { branchId: "br-a", type: UNKNOWN } })],
  "arrive in an update": arriving(),
  "arrive in an update, and may be what an interrupted run left": arriving({ __takes: true }),
  "may resume what is open where their bookkeeping is secret": maybeOpen(),
  "keep what the provider does not name, as ignoreChanges has it: a limit": keeping("autoscalingLimitMaxCu", {
    autoscalingLimitMinCu: 0.25,
    autoscalingLimitMaxCu: 4,
  }),
  "keep what the provider does not name: a fixed size": keeping("suspendTimeoutSeconds", {
    sizeCu: 4,
    suspendTimeoutSeconds: 60,
  }),
  "keep what the provider does not name: what the program no longer sets": keeping("suspendTimeoutSeconds", {
    poolerMode: undefined,
    suspendTimeoutSeconds: 60,
  }),
  "are resized where the provider names the fixed size alone": keeping("sizeCu", { sizeCu: 4 }),
  "may move where the branch is not known yet, whatever the provider names": keeping("suspendTimeoutSeconds", {
    branchId: UNKNOWN,
    suspendTimeoutSeconds: 60,
  }),
  "are all compared where settings are secret and no name is told": settings(),
  "are believed to be the same where the provider names others": settings(["endpoints", 'endpoints["b"].pgSettings']),
  "are all compared where the provider names only what is the fleet's": settings(["maxDeletions"]),
  "are compared as a whole where the provider names them so": settings(['endpoints["a"]', 'endpoints["b"].pgSettings']),
});

/** A replacement by force: the engine's three steps, in the order of the names. */
const { before, after } = updateOf(["a", "b", "c", "d", "f"], {
  ...branches("a", "c", "g"),
  b: { branchId: "br-b", sizeCu: 2 },
  e: { branchId: "br-d" },
  x: { branchId: "br-f", sizeCu: 2 },
});
/** `takes`: the endpoints of the old fleet that the new one takes up, by member. */
const replacement = (takes: object) => {
  const inputs = { ...after?.inputs, __takes: takes };
  const sides = { ...(before && { before: { ...before, delete: true } }), after: { inputs, outputs: {} } };
  return ["create-replacement", "replace", "delete-replaced"].map((op) => fleetStep(op, sides)) as [
    PlanStep,
    PlanStep,
    PlanStep,
  ];
};
const [coming, replace, leaving] = replacement({ a: "ep-a", b: "ep-b", x: "ep-f", g: "ep-g" });
const forced = (takes?: unknown) => {
  const step = updateOf(["a", "b", "c"], branches("a", "b", "d", "e"), takes === undefined ? {} : { __takes: takes });
  return [{ ...step, op: "replace" }];
};
const byFleet = [
  fleetStep("create", { after: { ...wantedOnly(branches("b"), { __takes: { b: "ep-8" } }), provider: "one" } }),
];

itDecides("takeovers by a fleet", {
  "replaced by force, as the note tells": [coming, replace, leaving],
  "replaced by force, the old one deleted first": [leaving, coming, replace],
  "replaced by force, of which the note tells a part": replacement({ a: "ep-a" }),
  "what others leave, who have its provider or another": [
    ...byFleet,
    stepFor("same", "delete", { before: { ...stateOf(), provider: "one", id: "p-1/ep-8" } }),
    stepFor("other", "delete", { before: { ...stateOf(), provider: "two", id: "p-1/ep-8" } }),
  ],
  "another endpoint than its own": forced({ a: "ep-9", d: "ep-c" }),
  "not known yet": forced(UNKNOWN),
});

const hiding = (side: PlanState | undefined, value: unknown): PlanState => ({
  inputs: { ...side?.inputs, endpoints: value },
  outputs: { ...side?.outputs, endpoints: value, __pgcompute: value },
});
const [olds, news] = [sideOf(states("a", "b"), branches("a", "b")), wantedOnly(branches("a"))];
const quiet = updateOfOne("quiet", { suspendTimeoutSeconds: 60 });
const newer = { ...olds, inputs: {}, outputs: { endpoints: {}, __pgcompute: JSON.stringify({ v: 9 }) } };
const hidden: [string, Pick<PlanStep, "before" | "after">][] = [
  ["secret on both sides", { before: hiding(olds, SECRET), after: hiding(news, SECRET) }],
  ["secret from now on", { before: olds, after: hiding(news, SECRET) }],
  ["of which one is secret", { before: olds, after: wantedOnly({ a: SECRET, ...branches("b") }) }],
  ["with secret defaults", { before: olds, after: wantedOnly(branches("a"), { defaults: SECRET }) }],
  ["with a secret text", { before: { ...olds, outputs: { ...olds.outputs, __pgcompute: SECRET } }, after: news }],
  ["not known yet", { before: olds, after: hiding(news, UNKNOWN) }],
  ["of a newer form", { before: newer, after: news }],
];
const byNewer = (op: string) => [{ ...updateOfOne("main", { sizeCu: 2 }, stateOf({ __pgcompute: { v: 9 } })), op }];

itDecides("members that cannot be read", {
  ...Object.fromEntries(hidden.map(([name, of]) => [name, [fleetStep("update", of), quiet]])),
  "not known yet, of a fleet that stays": [fleetStep("same", { before: olds, after: hiding(news, UNKNOWN) })],
  "an endpoint of a newer version": byNewer("delete"),
  "an endpoint of a newer version: drift": { plan: byNewer("update"), options: { drift: true } },
});

const retains = { retainOnDelete: true };

/** A fleet from which `a` leaves; `kept` is what the state keeps of it. */
function withoutA(
  op: string,
  { kept = {}, fleet }: { kept?: object; fleet?: object },
  wanted: Parameters<typeof sideOf>[1] = branches("b"),
): PlanStep[] {
  const old = { ...sideOf(states("a", "b"), branches("a", "b"), {}, { a: { ...kept } }), ...fleet };
  // With the note of the member that stays, which tells what a replacement takes up.
  const after = wantedOnly(wanted, { __takes: { b: "ep-b" } });
  return [fleetStep(op, { before: old, ...(op !== "delete" && { after }) })];
}
const readOnly = { ...branches("b"), a: { branchId: "br-a", type: "read_only" } };

itDecides("a member that leaves its fleet", {
  "without any option": withoutA("update", {}),
  "with the fleet's own option, which an update's provider never hears of": withoutA("update", { fleet: retains }),
  "with the whole fleet, of which the engine deletes nothing": withoutA("delete", { fleet: retains }),
  "with the whole fleet, and is protected": withoutA("delete", { kept: { protect: true } }),
  "with the whole fleet, protected and to be kept": withoutA("delete", { kept: { protect: true, ...retains } }),
  "with a fleet that an earlier run left, and is protected": withoutA("delete", {
    kept: { protect: true },
    fleet: { delete: true },
  }),
  "with its fleet, which is replaced by force, and is protected": withoutA("replace", { kept: { protect: true } }),
  "stays in a fleet that is replaced by force, and is protected no longer": withoutA(
    "replace",
    { kept: { protect: true } },
    branches("a", "b"),
  ),
  "stays in a fleet that is replaced by force, and is protected": withoutA(
    "replace",
    { kept: { protect: true } },
    { ...branches("b"), a: { branchId: "br-a", protect: true } },
  ),
  "to be replaced, and kept": withoutA("update", { kept: retains }, readOnly),
});

const three = sideOf(states("a", "b", "c"), branches("a", "b", "c"));
const grown = { a: stored("a"), b: stored("b", { autoscalingLimitMinCu: 4, autoscalingLimitMaxCu: 4, sizeCu: 4 }) };
const found = (op: string, of: Pick<PlanStep, "before" | "after">) => ({
  plan: [fleetStep(op, of)],
  options: { drift: true },
});

itDecides("drift of a fleet", {
  "one changed, one gone": found("update", { before: three, after: { ...three, outputs: sideOf(grown, {}).outputs } }),
  "what the stack only reads": found("delete", { before: { ...three, external: true } }),
  nothing: found("refresh", { before: three, after: three }),
  "an earlier fleet": found("delete", { before: { ...three, delete: true } }),
});
