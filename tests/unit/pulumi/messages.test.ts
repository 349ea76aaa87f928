/**
 * Compares every refusal and advice, as people read it, with a recording; `vitest -u` records anew, for review as a
 * diff.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Advice } from "../../../provider/lib/failure";
import { memberOwner, resourceOwner } from "../../../provider/lib/owner";
import { isCommandLine } from "../../../provider/lib/wording";
import type { ImportProblem, Refusal } from "../../../provider/places/refusal";
import {
  CancelledError,
  HttpError,
  OperationError,
  PartialError,
  PgComputeError,
  type Remedy,
} from "../../../provider/platform/errors";
import {
  anothersStateMessage,
  notAFleetMessage,
  notAnEndpointMessage,
} from "../../../provider/pulumi/messages/aliases";
import { pluginCommand } from "../../../provider/pulumi/messages/commands";
import { adviseFailure, messageFor, type Reader } from "../../../provider/pulumi/messages/errors";
import { outcomeMessage, refusalFailures } from "../../../provider/pulumi/messages/fleet";
import {
  importedOwnersMessage,
  refusalMessage,
  refusedImportMessage,
} from "../../../provider/pulumi/messages/refusals";
import { adviseError, orphanMessage } from "../../../provider/pulumi/messages/remedies";
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

const imports: ImportProblem[] = [
  { kind: "form", importId: "ep-1" },
  { kind: "unknown", importId: "p/ep-1" },
  { kind: "has_another", endpointId: "ep-2" },
  { kind: "elsewhere", place: { projectId: "p", branchId: "br-b", type: "read_only" } },
  { kind: "taken", by: "previews/pr-9" },
];

const foreign = { what: "endpoint p/ep-1", id: "p/ep-1" };

const refusals: [string, Refusal][] = [
  ["declared twice", { kind: "declared_twice", branchId: "br-a", first: other }],
  ["declared twice, by a member", { kind: "declared_twice", branchId: "br-a", first: sibling }],
  ["in the way", { kind: "in_the_way", occupant: record, other }],
  ["in the way, a member's, of a fixed size without a state", { kind: "in_the_way", occupant: fixed, other: sibling }],
  ["in the way, with control characters", { kind: "in_the_way", occupant: hostile, other }],
  ["exchange", { kind: "exchange", occupant: record, other, leaves: "br-b" }],
  ["made for another", { kind: "made_for_another", occupant: record, other: { name: "other", urn: other } }],
  ["renamed", { kind: "renamed", occupant: record, other: { name: "other", urn: other } }],
  ["renamed, of which only the name is known", { kind: "renamed", occupant: record, other: { name: "previews-pr-9" } }],
  ["nobody's", { kind: "of_nobody", occupant: record }],
  ["nobody's, with a name", { kind: "of_nobody", occupant: named }],
  ["unclaimed", { kind: "unclaimed", occupant: record }],
  ["moved there", { kind: "moved_there", other: sibling, movedFrom: "br-b" }],
  ["two owners", { kind: "two_owners", branchId: "br-a", id: "p/ep-1", first: other }],
  ["two owners, one a member", { kind: "two_owners", branchId: "br-a", id: "p/ep-1", first: sibling }],
  ["taken", { kind: "taken", branchId: "br-a", id: "p/ep-1", first: other }],
  ["not empty", { kind: "not_empty", branchId: "br-a", from: "br-b", there: [record] }],
  ["not empty, with several", { kind: "not_empty", branchId: "br-a", from: "br-b", there: [record, fixed] }],
  ["a primary that is missing", { kind: "primary_missing", branchId: "br-a", primary: other }],
  [
    "a primary that is missing, of which nobody knows",
    { kind: "primary_missing", branchId: "br-a", primary: undefined },
  ],
  ["a primary that is missing, a member", { kind: "primary_missing", branchId: "br-a", primary: sibling }],
  ["left behind", { kind: "left_behind", branchId: "br-a", other: sibling }],
  ["left for importing", { kind: "left_for_importing", branchId: "br-a", id: "p/ep-1", other: sibling }],
  ["left", { kind: "left", left: [made] }],
  ["left to others", { kind: "left_to_others", left: [made], owners: [other] }],
  ["several left to others", { kind: "left_to_others", left: [record, fixed], owners: [sibling, other] }],
  ["released", { kind: "released", occupant: record }],
  ["protected, and deleted", { kind: "delete_protected" }],
  ["protected, and replaced for a reason", { kind: "replace_protected", why: "branch b has another" }],
  ["undeclared", { kind: "undeclared", id: "p/ep-1" }],
  ["a circle", { kind: "circle" }],
  ["too many away", { kind: "too_many_away", keys: ["a", "b"], limit: 1 }],
  ["never idle by its size", { kind: "never_idle", id: "p/ep-1", aboveCu: 16 }],
  ["never idle by its delay", { kind: "never_idle", id: "p/ep-1" }],
  ["forgotten", { kind: "forgotten", what: "endpoint", id: "p/ep-1" }],
  ["forgotten, and stays", { kind: "forgotten_stays", id: "p/ep-1" }],
  ["too many", { kind: "too_many", deleted: ["a"], replaced: ["b", "c"], limit: 1, members: 4 }],
  ["an import of what another has", { kind: "import_of_owned", foreign: [{ ...foreign, met: other }] }],
  [
    "an import of what others have",
    { kind: "import_of_owned", foreign: ["a", "b"].map((what) => ({ ...foreign, what, met: other })) },
  ],
  ...[{ name: "previews-pr-1" }, { urn: member, name: "" }, { urn: other, name: "other" }].map(
    (marked): [string, Refusal] => [
      `an import of what was made for ${marked.urn ?? marked.name}`,
      { kind: "import_of_marked", foreign: [{ ...foreign, marked }] },
    ],
  ),
  ...imports.map((reason): [string, Refusal] => [`an import: ${reason.kind}`, { kind: "import", reason }]),
];

const maybe = { kind: "maybe_created", projectId: "shop-1", branchId: "br-a", name: "n" } as const;
const remedies: Remedy[] = [
  { kind: "gone" },
  { kind: "delete_accepted", id: "quiet-lake-12345678/ep-cool-rain-87654321" },
  { kind: "unknown_project", projectId: "shop-1" },
  { kind: "active_limit", platform: "Neon", limit: 20 },
  ...[undefined, "free", "launch"].map((plan): Remedy => ({ kind: "fixed_delay", plan })),
  { kind: "size_limit", largestCu: 7 },
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

/** A member is told what its fleet says of it, of several where there are more; no resource is in a circle. */
function refused(refusal: Refusal, { host, urn }: Reader): string | undefined {
  const isCircle = refusal.kind === "circle";
  if (urn !== member) return isCircle ? undefined : refusalMessage(refusal, { host, urn });
  const isOfSeveral = isCircle || ("left" in refusal && refusal.left.length > 1);
  const about = isOfSeveral ? [member, sibling] : [member];
  return refusalFailures({ about, refusal }, { host, urn: fleet, replaces: "set" })[0]?.reason;
}

function advised(remedy: Remedy, reader: Reader): string | undefined {
  const error = new PgComputeError("not_found", "failed", { remedy });
  adviseError(error, reader);
  return error.advice;
}

/** Checks the rules on commands: at most two ways on, each command on its own line, without placeholders. */
function checkCommands(text: string): void {
  const lines = text.split("\n");
  const [commands, words] = [lines.filter(isCommandLine), lines.filter((line) => !isCommandLine(line))];
  expect(words.filter((line) => line.startsWith("  - ")).length, text).toBeLessThanOrEqual(2);
  for (const line of words)
    expect(line).not.toMatch(
      /\b(?:run|then|as in): \S|--no-install|\bpulumi (?:config (?:set|rm)|stack export|import [^`]|destroy --)/,
    );
  for (const command of commands) {
    expect(command).toMatch(/^ {6}(?:[A-Z_]+=\S+ )?(?:pulumi|npx --no-install pgcompute) /);
    expect(command.replace(/PGCOMPUTE_[A-Z_]+|'[^']*'/g, "")).not.toMatch(/[A-Z]{4}|<|#|; |, /);
  }
}

function wordsIn(sentence: string): number {
  return sentence.split(" ").filter((word) => /\w/.test(word) && !word.includes("::")).length;
}

async function recorded(name: string, lines: readonly string[]): Promise<void> {
  lines.forEach(checkCommands);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(join(root, `tests/unit/pulumi/samples/${name}.txt`));
}

test("refusals", async () => {
  const texts = refusals.flatMap(([name, refusal]) => told(name, (reader) => refused(refusal, reader)));
  const others = [
    ...[notAFleetMessage("p/ep-1"), notAnEndpointMessage("fleet-00000000")],
    ...[{ projectId: "shop-1" }, {}].map((state) => anothersStateMessage("ep-1", state, urn)),
  ];
  for (const text of [...texts, ...others]) {
    const [what = "", ways = ""] = text.split(". What you can do:");
    expect(what.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(what).not.toContain("\n");
    expect(ways).toMatch(/^(?:\n {2}- [A-Z][^\n]*[.:](?:(?<=:)(?:\n {6}\S[^\n]*)+)?){1,2}(?:; the same for .*)?$/);
    for (const sentence of text.split(/(?<=[.:])\s+/)) expect(wordsIn(sentence)).toBeLessThanOrEqual(40);
    expect(text).not.toMatch(/--target '|--exclude-dependents|state delete '/);
  }
  const about = refusalFailures(
    { about: [member, sibling], refusal: refusals[0]?.[1] as Refusal },
    { host: "plugin", urn: fleet, replaces: "set" },
  );
  await recorded("refusals", [
    ...new Set([...texts, ...others, ...about.map(({ property, reason }) => `${property}: ${reason}`)]),
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
    importedOwnersMessage([{ ...foreign, marked: { urn: other, name: "other" } }]),
    importedOwnersMessage(["a", "b"].map((what) => ({ ...foreign, what, marked: { name: "x" } }))),
    refusedImportMessage('endpoint shop-1/ep-1: made for "x"'),
    outcomeMessage(5, { failed: 1, notBegun: ["a", "b"], stop: "the key was refused" }),
    outcomeMessage(30, { failed: 0, interrupted: 30, notBegun: [] }),
    outcomeMessage(5, { failed: 1, interrupted: 1, notBegun: ["a"], stop: "interrupted" }),
    pluginCommand(join(root, "none"), "pulumi-pgcompute@9.9.9"),
  ]);
  expect(pluginCommand(__filename, "pulumi-pgcompute@9.9.9")).toMatch(/^node \S*messages\.test\.ts$/);
});
