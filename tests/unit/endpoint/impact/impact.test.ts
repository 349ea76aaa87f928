/**
 * Tests the impact of changes on an endpoint (specification, sections 2.4, 3.2 and 3.3), with data and sentences
 * recorded in impacts.txt.
 */
import { join } from "node:path";
import { expect, it } from "vitest";
import { differences } from "../../../../provider/endpoint/differences";
import { type ChangeKind, impactOf, possibleEffects } from "../../../../provider/endpoint/impact/impact";
import { impactMessages } from "../../../../provider/endpoint/impact/sentences";
import type { CheckedInputs } from "../../../../provider/endpoint/parse-inputs";
import type { EndpointState } from "../../../../provider/endpoint/state";
import { UNKNOWN } from "../../../../provider/lib/unknown";
import { neon, specification } from "../../../../provider/platform/profiles/profiles";
import { fc } from "../../../support/random";

type Inputs = CheckedInputs;

interface Row {
  /** Default `update`. */
  kind?: ChangeKind;
  /** The inputs, besides those that say what `endpoint` is; `only` are all of them. */
  news?: Inputs;
  only?: Inputs;
  /** What is; default `endpoint`. */
  state?: EndpointState;
  /** What the program had set. */
  set?: string[];
  deletesFirst?: true;
  onNeon?: true;
}

const [min, max] = ["autoscalingLimitMinCu", "autoscalingLimitMaxCu"] as const;
const settings: Inputs = {
  ...{ type: "read_write", projectId: "shop-1", branchId: "br-a", [min]: 2, [max]: 4, suspendTimeoutSeconds: 300 },
  ...{ disabled: false, poolerEnabled: false, poolerMode: "transaction", passwordlessAccess: true },
  pgSettings: { work_mem: "4MB" },
};
const endpoint: EndpointState = { ...settings, host: "ep-1.eu.example.test" };
const disabled = { ...endpoint, disabled: true };
const fixed = { ...endpoint, [min]: 2, [max]: 2 };
const noRange = { [min]: undefined, [max]: undefined };
const small = { [min]: 1, [max]: 1 };

const rows: Readonly<Record<string, Row>> = {
  "the minimum size": { news: { [min]: 0.5 } },
  "a fixed size in the other form": { state: fixed, news: { ...noRange, sizeCu: 2 } },
  autosuspend: { news: { suspendTimeoutSeconds: 60 } },
  "autosuspend back to the default, which is the same delay": { news: { suspendTimeoutSeconds: 0 } },
  "a first restart trigger": { news: { restartTrigger: "1" } },
  "a new restart trigger": { state: { ...endpoint, restartTrigger: "1" }, news: { restartTrigger: "2" } },
  "another branch": { news: { branchId: "br-b" } },
  "disabling it": { news: { disabled: true } },
  "the pooler": { news: { poolerEnabled: true } },
  "no Postgres settings": { news: { pgSettings: {} } },
  "passwordless access": { news: { passwordlessAccess: false } },
  "several of which no restart is stated": {
    news: { poolerEnabled: true, pgSettings: { work_mem: "8MB", secret_one: "s3cret", "a\u001b[31m": "s3cret" } },
  },
  "libraries, which are there from the next restart on": { news: { preloadLibraries: ["auto_explain"] } },
  "libraries beside a restart": { news: { preloadLibraries: ["auto_explain"], [min]: 1 } },
  "what the program never set": { only: {} },
  "what the program no longer sets, which goes back to its default, but a size": {
    state: { ...endpoint, suspendTimeoutSeconds: 60 },
    only: {},
    set: ["suspendTimeoutSeconds", "pgSettings", "sizeCu", min, max],
  },
  "a size that the state lacks": { state: {}, only: small },
  "another size of a disabled endpoint": { state: disabled, news: { disabled: true, [min]: 1 } },
  "another branch of a disabled endpoint": { state: disabled, news: { disabled: true, branchId: "br-b" } },
  "enabling it": { state: disabled },
  "disabling at the next idle moment": { news: { disabled: true, restartWhen: "idle" } },
  "a delay, which waits for no idle moment": { news: { suspendTimeoutSeconds: 60, restartWhen: "idle" } },
  "an unknown size": { news: { ...noRange, sizeCu: UNKNOWN } },
  "an unknown minimum": { news: { [min]: UNKNOWN } },
  "an unknown branch": { news: { branchId: UNKNOWN } },
  "an unknown branch at the next idle moment": { news: { branchId: UNKNOWN, restartWhen: "idle" } },
  "an unknown trigger at the next idle moment": { news: { restartTrigger: UNKNOWN, restartWhen: "idle" } },
  "an unknown project": { news: { projectId: UNKNOWN } },
  "unknown whether it is disabled": { news: { disabled: UNKNOWN } },
  "an unknown setting and minimum beside a certain maximum": {
    news: { [max]: 7, [min]: UNKNOWN, pgSettings: { work_mem: UNKNOWN } as unknown as Record<string, string> },
  },
  "a size that is always active on its platform": { onNeon: true, news: { ...noRange, sizeCu: 18 } },
  "a create of a fixed size": { kind: "create", state: {}, only: { sizeCu: 0.25, suspendTimeoutSeconds: 0 } },
  "a create, which waits for no idle moment": { kind: "create", state: {}, only: { restartWhen: "idle" } },
  "a replacement": { kind: "replace" },
  "a replacement that deletes first": { kind: "replace", deletesFirst: true },
  "a replacement by a disabled one": { kind: "replace", news: { disabled: true } },
  "a replacement elsewhere, which takes no size from the old one": { kind: "replace", only: { branchId: "br-b" } },
  "a replacement of a disabled one": { kind: "replace", state: disabled, deletesFirst: true },
  "a deletion": { kind: "delete", only: {} },
  "a release": { kind: "release", only: {} },
};

it("the impact of every kind of change is as recorded, with no value of a setting and no control character", async () => {
  const recorded = Object.entries(rows).map(([name, row]) => `${name}: ${linesOf(row).join("\n  ")}`);
  const text = `${recorded.join("\n")}\n`;
  expect(text).not.toContain("s3cret");
  expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "impacts.txt"));
});

function linesOf({ kind = "update", news, only, state = endpoint, set = [], deletesFirst, onNeon }: Row): string[] {
  const inputs = only ?? { ...settings, ...news };
  const found = differences(state, inputs, new Set(set));
  const profile = onNeon ? neon : specification;
  const impact = impactOf({ kind, state, inputs, found, profile, ...(deletesFirst && { deletesFirst }) });
  const { notes: _, kind: __, ...data } = impact;
  const [flags, figures] = [true, false].map((isFlag) =>
    Object.entries(data).filter(([, value]) => (typeof value === "boolean") === isFlag),
  ) as [[string, unknown][], [string, unknown][]];
  const possible = Object.entries(possibleEffects(impact));
  const [certain, most] = [flags, possible].map((all) =>
    all.flatMap(([name, holds]) => (holds ? name : [])).join(", "),
  );
  return [
    `${kind}, ${certain || "no effect"}; at most ${most || "none"}`,
    JSON.stringify(Object.fromEntries(figures)),
    impactMessages(impact).join(" | "),
  ];
}

it("for any endpoint that stays as it is, nothing restarts and no connection is lost", () => {
  const text = fc.constantFrom("a", "b", "");
  const cu = fc.oneof(fc.constantFrom(0.25, 1, 7), fc.double({ noNaN: true }));
  const inputs = fc.record(
    {
      branchId: text,
      [min]: cu,
      [max]: cu,
      suspendTimeoutSeconds: fc.integer(),
      disabled: fc.boolean(),
      restartTrigger: text,
      poolerEnabled: fc.boolean(),
      pgSettings: fc.dictionary(fc.string(), fc.string()),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Inputs>;
  fc.assert(
    fc.property(inputs, (state) => {
      const same = structuredClone(state);
      const found = differences(state, same, new Set(Object.keys(state)));
      const impact = impactOf({ kind: "update", state, inputs: same, found, profile: specification });
      const none = { restarts: false, dropsConnections: false, hostChanges: false, downtime: false };
      expect(impact).toMatchObject(none);
      expect(impact.restartNotStated).toBeUndefined();
    }),
  );
});
