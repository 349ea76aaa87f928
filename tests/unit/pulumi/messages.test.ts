/**
 * Compares every refusal and advice, as people read it, with a recording; `vitest -u` records anew, for review as a
 * diff.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Advice } from "../../../provider/lib/failure";
import { memberOwner, resourceOwner } from "../../../provider/lib/owner";
import { isCommandLine } from "../../../provider/lib/wording";
import type { ImportProblem, InTheWay, Refusal } from "../../../provider/places/refusal";
import {
  CancelledError,
  HttpError,
  OperationError,
  PartialError,
  PgComputeError,
  type Remedy,
} from "../../../provider/platform/errors";
import { pluginCommand } from "../../../provider/pulumi/messages/commands";
import { adviseFailure, messageFor } from "../../../provider/pulumi/messages/errors";
import { outcomeMessage, refusalFailures } from "../../../provider/pulumi/messages/fleet";
import type { Reader } from "../../../provider/pulumi/messages/occupied";
import {
  adviseError,
  importedOwnersMessage,
  orphanMessage,
  refusalMessage,
  refusedImportMessage,
} from "../../../provider/pulumi/messages/refusals";
import { root } from "../../../tools/root.mjs";
import { endpointRecord } from "../../support/samples";

const urn = resourceOwner("urn:pulumi:dev::shop::pgcompute:index:Endpoint::primary");
const quotedUrn = resourceOwner("urn:pulumi:dev::shop::a$pgcompute:index:Endpoint::it's mine::b");
const other = resourceOwner("urn:pulumi:dev::shop::pgcompute:index:Endpoint::other");
const fleet = resourceOwner("urn:pulumi:dev::shop::pgcompute:index:EndpointFleet::previews");
const [member, sibling] = [memberOwner(fleet, "pr-1"), memberOwner(fleet, "pr-2")];

const readers: Record<string, Reader> = {
  "a resource": { host: "plugin", urn },
  "a resource by the dynamic host": { host: "dynamic", urn },
  "a resource with a name to quote": { host: "plugin", urn: quotedUrn },
  "a member": { host: "plugin", urn: member },
  "a member by the dynamic host": { host: "dynamic", urn: member },
};

const record = endpointRecord();
const fixed = { ...record, id: "ep-x", autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2, currentState: "" };
const named = { ...fixed, name: "pulumi-orders-0123456789ab-1a2b3c4d\u001b[2J" };
const hostile = { ...record, id: "ep-\u001b[2J", currentState: "\u0007idle\u202e" };
const made = { ...record, createdAt: "2026-01-01T00:00:00Z" };

const occupants: [string, Omit<InTheWay, "kind">][] = [
  ["by nobody's endpoint", { occupant: record, isNew: true }],
  ["by one of a fixed size without a state", { occupant: fixed, isNew: true }],
  ["by one with a name", { occupant: named, isNew: true }],
  ["by one with control characters", { occupant: hostile, isNew: true }],
  ["by a resource's", { occupant: record, isNew: true, other: { urn: other } }],
  ["by a member's", { occupant: record, isNew: true, other: { urn: sibling } }],
  ["by one that was made for a resource", { occupant: record, isNew: true, other: { urn: other, name: "other" } }],
  ["by one that was made for a name", { occupant: record, isNew: true, other: { name: "previews-pr-9" } }],
  ["for one that is there", { occupant: record, isNew: false }],
  ["for one that is there, by one that was made for a name", { occupant: record, isNew: false, other: { name: "o" } }],
  ["for one that leaves a branch", { occupant: record, isNew: false, other: { urn: other }, leaves: "br-b" }],
];

const imports: ImportProblem[] = [
  { kind: "form", importId: "ep-1" },
  { kind: "unknown", importId: "p/ep-1" },
  { kind: "has_another", endpointId: "ep-2" },
  { kind: "elsewhere", place: { projectId: "p", branchId: "br-b", type: "read_only" } },
  { kind: "taken", by: "previews/pr-9" },
];

const refusals: [string, Refusal][] = [
  ["declared twice", { kind: "declared_twice", branchId: "br-a", first: other }],
  ["declared twice, by a member", { kind: "declared_twice", branchId: "br-a", first: sibling }],
  ["moved there", { kind: "moved_there", other: sibling, movedFrom: "br-b" }],
  ["two owners", { kind: "two_owners", branchId: "br-a", id: "p/ep-1", first: other, takes: false }],
  ["two owners, one a member", { kind: "two_owners", branchId: "br-a", id: "p/ep-1", first: sibling, takes: false }],
  ["taken", { kind: "two_owners", branchId: "br-a", id: "p/ep-1", first: other, takes: true }],
  ["not empty", { kind: "not_empty", branchId: "br-a", from: "br-b", there: [record] }],
  ["not empty, with several", { kind: "not_empty", branchId: "br-a", from: "br-b", there: [record, fixed] }],
  ["a primary that is missing", { kind: "primary_missing", branchId: "br-a", primary: other }],
  [
    "a primary that is missing, of which nobody knows",
    { kind: "primary_missing", branchId: "br-a", primary: undefined },
  ],
  ["a primary that is missing, a member", { kind: "primary_missing", branchId: "br-a", primary: sibling }],
  ["left behind by a member", { kind: "left_behind", branchId: "br-a", id: "p/ep-1", other: sibling, isNew: true }],
  [
    "left behind, for one that is there",
    { kind: "left_behind", branchId: "br-a", id: "p/ep-1", other: sibling, isNew: false },
  ],
  ["left", { kind: "left", left: [{ record: made }], isNew: true }],
  ["left, for one that is there", { kind: "left", left: [{ record }], isNew: false }],
  ["left, and another's", { kind: "left", left: [{ record: made, owner: other }], isNew: true }],
  ["left of a member", { kind: "left", left: [{ record: made, key: "pr-1" }], isNew: true }],
  ["left of a member of a fleet that is there", { kind: "left", left: [{ record: made, key: "pr-1" }], isNew: false }],
  [
    "left of members, and others'",
    {
      kind: "left",
      left: [sibling, other].map((owner, at) => ({ record: [record, fixed][at] ?? record, key: `pr-${at}`, owner })),
      isNew: false,
    },
  ],
  ["released", { kind: "released", occupant: record }],
  ["protected", { kind: "protected", change: "deleted" }],
  ["protected, and replaced for a reason", { kind: "protected", change: "replaced", why: "branch b has another" }],
  ["undeclared", { kind: "undeclared", id: "p/ep-1" }],
  ["a circle", { kind: "circle", keys: ["a", "b"] }],
  ["too many away", { kind: "too_many_away", keys: ["a", "b"], limit: 1 }],
  ["never idle by its size", { kind: "never_idle", id: "p/ep-1", aboveCu: 16 }],
  ["never idle by its delay", { kind: "never_idle", id: "p/ep-1" }],
  ["too many", { kind: "too_many", deleted: ["a"], replaced: ["b", "c"], limit: 1, members: 4 }],
  ...occupants.map(([name, what]): [string, Refusal] => [`in the way ${name}`, { kind: "in_the_way", ...what }]),
  ...imports.map((reason): [string, Refusal] => [`an import: ${reason.kind}`, { kind: "import", reason }]),
];

const maybe = { kind: "maybe_created", projectId: "shop-1", branchId: "br-a", name: "n" } as const;
const remedies: Remedy[] = [
  { kind: "gone" },
  { kind: "delete_accepted", id: "quiet-lake-12345678/ep-cool-rain-87654321" },
  { kind: "unknown_project", projectId: "shop-1" },
  { kind: "active_limit", platform: "Neon", limit: 20 },
  ...[undefined, "free", "launch"].map((plan): Remedy => ({ kind: "fixed_delay", plan })),
  { kind: "wrong_address" },
  { kind: "root_branch" },
  { kind: "not_applied", properties: ["branchId"] },
  { kind: "not_applied", properties: ["poolerMode", "disabled"] },
  ...[true, false, undefined].map((keepsNames) => ({ ...maybe, keepsNames, candidates: [] })),
  { ...maybe, keepsNames: false, candidates: ["shop-1/ep-a"] },
  { ...maybe, keepsNames: false, candidates: ["shop-1/ep-a", "shop-1/ep-b"] },
];

const ways: Advice[] = [
  { kind: "raise_max_size", value: 9 },
  { kind: "set_plan", plan: "scale" },
  { kind: "set_plan", plan: "paid" },
  { kind: "find_branch", projectId: "p-one" },
  { kind: "find_branch" },
  { kind: "find_project" },
  { kind: "give_key" },
  { kind: "give_address" },
];

const request = { path: "/projects/p", status: 401 };
const late = new OperationError("operation_timeout", "still running", {
  id: "op-1",
});
const own = new PgComputeError("conflict", "taken", { advice: "Take another." });
const errors: PgComputeError[] = [
  ...(["configuration", "environment", undefined] as const).map(
    (keySource) => new HttpError("unauthorized", "refused", { ...request, keySource }),
  ),
  new HttpError("locked", "a lock", { path: "/projects/shop-1/endpoints/ep-1", status: 423 }),
  ...[undefined, "launch"].map((plan) => new HttpError("over_limit", "a limit", { ...request, status: 402, plan })),
  new HttpError("over_limit", "too many", { ...request, status: 402, code: "ACTIVE_ENDPOINTS_LIMIT_EXCEEDED" }),
  ...[late, new PartialError("p/ep-1", {}, late), own, new PartialError("p/ep-1", {}, own), new CancelledError()],
  new PgComputeError("not_found", "answered 404", { remedy: { kind: "wrong_address" } }),
  new PgComputeError("refused", "ways on: a, b"),
];

/** What all are told, each text once, with those that it is for where that is not everybody. */
function told(what: string, say: (reader: Reader) => string | undefined): string[] {
  const to = new Map<string | undefined, string[]>();
  for (const [who, reader] of Object.entries(readers)) to.set(say(reader), [...(to.get(say(reader)) ?? []), who]);
  to.delete(undefined);
  return [...to].map(([text, who]) =>
    to.size === 1 ? `${what}: ${text}` : `${what}, to ${who.join(" and ")}: ${text}`,
  );
}

/** A member is told what its fleet says of it, and of what was left only the fleet's form; a resource has no keys. */
function refused(refusal: Refusal, { host, urn }: Reader): string | undefined {
  const isMember = urn === member;
  if (refusal.kind === "left" && (refusal.left[0]?.key !== undefined) !== isMember) return undefined;
  if (!isMember) return refusalMessage(refusal, { host, urn });
  return refusalFailures({ about: [member], refusal }, { host, urn: fleet })[0]?.reason;
}

function advised(remedy: Remedy, reader: Reader): string | undefined {
  const error = new PgComputeError("not_found", "failed", { remedy });
  adviseError(error, reader);
  return error.advice;
}

/** Checks the rules on commands: at most three ways on, each command on its own line, without placeholders. */
function checkCommands(text: string): void {
  const lines = text.split("\n");
  const [commands, words] = [lines.filter(isCommandLine), lines.filter((line) => !isCommandLine(line))];
  expect(words.filter((line) => line.startsWith("  - ")).length, text).toBeLessThanOrEqual(3);
  for (const line of words)
    expect(line).not.toMatch(
      /\b(?:run|then|as in): \S|--no-install|\bpulumi (?:config (?:set|rm)|stack export|import [^`]|destroy --)/,
    );
  for (const command of commands) {
    expect(command).toMatch(/^ {6}(?:[A-Z_]+=\S+ )?(?:pulumi|npx --no-install pgcompute) /);
    expect(command.replace(/PGCOMPUTE_[A-Z_]+|'[^']*'/g, "")).not.toMatch(/[A-Z]{4}|<|#|; |, /);
  }
}

async function recorded(name: string, lines: readonly string[]): Promise<void> {
  lines.forEach(checkCommands);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(join(root, `tests/unit/pulumi/samples/${name}.txt`));
}

test("refusals", async () => {
  const texts = refusals.flatMap(([name, refusal]) => told(name, (reader) => refused(refusal, reader)));
  for (const text of texts) {
    const ways = text.match(/^ {2}- /gm)?.length ?? 0;
    if (text.startsWith("in the way ")) expect(ways).toBeGreaterThanOrEqual(2);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    // The dynamic host cannot import, and no command names a member.
    if (/, to .*(?:member|dynamic)/.test(text)) expect(text).not.toContain("pulumi import");
  }
  const about = refusalFailures(
    { about: [member, sibling], refusal: refusals[0]?.[1] as Refusal },
    { host: "plugin", urn: fleet },
  );
  await recorded("refusals", [
    ...new Set([...texts, ...about.map(({ property, reason }) => `${property}: ${reason}`)]),
  ]);
});

test("what is said of errors, of bad input, and of what is left", async () => {
  await recorded("advice", [
    ...remedies.flatMap((remedy) => told(Object.values(remedy).join(" "), (reader) => advised(remedy, reader))),
    String(advised({ kind: "unknown_project", projectId: "gone-1" }, { host: "plugin", urn: fleet })),
    ...errors.map(messageFor),
    ...ways.map((advice) => adviseFailure({ property: "sizeCu", reason: "too large", advice }).reason),
    adviseFailure({ property: "sizeCu", reason: "too large" }).reason,
    ...[orphanMessage(record), orphanMessage(record, true)],
    ...[{ name: "previews-pr-1" }, { urn: member, name: "" }, { urn: other, name: "other" }].map((owner) =>
      importedOwnersMessage([{ what: "endpoint shop-1/ep-1", marked: owner }]),
    ),
    refusedImportMessage('endpoint shop-1/ep-1: created for "x"'),
    importedOwnersMessage(["a", "b"].map((what) => ({ what, marked: { name: "x" } }))),
    outcomeMessage(5, { failed: 1, notBegun: ["a", "b"], stop: "the key was refused" }),
    pluginCommand(join(root, "none"), "pulumi-pgcompute@9.9.9"),
  ]);
  expect(pluginCommand(__filename, "pulumi-pgcompute@9.9.9")).toMatch(/^node \S*messages\.test\.ts$/);
});
