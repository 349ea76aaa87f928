import { describe, expect, it } from "vitest";
import { toHtml } from "../../../cli/review/html";
import { toMarkdown } from "../../../cli/review/markdown";
import { readPlan } from "../../../cli/review/plan";
import { type PlanState, type PlanStep, readProperties, SECRET } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import { toJson } from "../../../cli/terminal/output";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { itDecides } from "./support/brief";
import { endpointOf, planOf, sample, stateOf, stepFor, updateOf } from "./support/plans";

const text = (value: string) => new TextEncoder().encode(value);

/** The engine's events, one a line. */
const streamed = (...events: object[]) =>
  text(events.map((one) => JSON.stringify({ sequence: 1, timestamp: 1, ...one })).join("\n"));
const wider = updateOf("a", { sizeCu: 2 });
const stack = "urn:pulumi:prod::shop::pulumi:pulumi:Stack::shop-prod";
const metadata = (step: PlanStep, more: object = {}) => {
  const { before, after, changed: _changed, ...rest } = step;
  const printed = (side?: PlanState) => side && { ...side, type: rest.type, sources: undefined };
  return { metadata: { ...rest, old: printed(before), new: { ...printed(after), ...more } } };
};
const diagnosed = (severity: string, message: string, more: object = {}) => ({
  diagnosticEvent: { severity, message, ...more },
});
const policy = (enforcementLevel: string, resourceUrn?: string, more: object = {}) => ({
  policyEvent: { policyName: "size", message: "error: too large", enforcementLevel, resourceUrn, ...more },
});
const ended = { summaryEvent: { result: "succeeded" } };
const hiddenState = { type: wider.type, ...stateOf({ pgSettings: "[secret]" }) };
const hidden = (changed: string) => ({
  diffReasons: [changed],
  op: "update",
  urn: wider.urn,
  oldState: hiddenState,
  newState: { ...hiddenState, inputs: { ...hiddenState.inputs, pgSettings: "[secret]" } },
});

const crlf = `\ufeff${new TextDecoder().decode(sample("plugin-import-streamed.jsonl")).replaceAll("\n", "\r\n")}`;
/** What YAML's host says of a wrong program is printed as information. */
const wrong = { severity: "info#err", message: "\u001b[31mError\u001b[0m: Property sizeCU does not exist on 'x'\n\n" };

/** What the engine prints around a plan, as of policy packs that a stack requires. */
const around = (name: string) => `Installing policy pack...\n\n${new TextDecoder().decode(sample(name))}\nDone.\n`;

it.each(["plugin-changes.json", "plugin-changes-streamed.jsonl"])("a plan is found among other lines: %s", (name) => {
  expect(readPlan(text(around(name)))).toEqual(readPlan(sample(name)));
});

it("a plan as the engine indents it is found among lines with braces", () => {
  const plan = JSON.parse(new TextDecoder().decode(sample("plugin-changes.json")));
  const all = `{policies}\n${JSON.stringify(plan, null, 4)}\nPolicy packs: {a}\n`;
  expect(readPlan(text(all))).toEqual(readPlan(sample("plugin-changes.json")));
  expect(() => readPlan(text(all + all))).toThrow(/not what `pulumi preview --json` prints/);
});

it.each([
  ["no plan", "Installing policy pack...\n"],
  ["two plans", `${around("plugin-changes.json")}${around("plugin-changes.json")}`],
  ["an event that is cut", `${around("plugin-changes-streamed.jsonl")}{"sequence":99,`],
])("%s among other lines is refused", (_, all) => {
  expect(() => readPlan(text(all))).toThrow(/begins with \{ on a line of its own/);
});

itDecides("what the engine prints", {
  "of a program that fails": sample("dynamic-failed.json"),
  "of a program that fails, in events": sample("dynamic-failed-streamed.jsonl"),
  "with a byte order mark and CR LF": text(crlf),
  "as PowerShell writes it": Buffer.from(crlf, "utf16le"),
  "of a wrong program in YAML": text(JSON.stringify({ diagnostics: [wrong], duration: 1 })),
  "with secret settings that the provider names": text(JSON.stringify({ steps: [hidden("pgSettings")] })),
  "with secret settings, of which the provider names others": text(JSON.stringify({ steps: [hidden("sizeCu")] })),
});

itDecides("the engine's events", {
  "of every kind": streamed(
    { preludeEvent: { config: { "pgcompute:platform": "neon" } } },
    { resourcePreEvent: { metadata: { op: "refresh", urn: stack, type: "pulumi:pulumi:Stack" } } },
    { resourcePreEvent: { metadata: { op: "update", urn: stack, type: "pulumi:pulumi:Stack" } } },
    { resourcePreEvent: metadata(wider) },
    { resOutputsEvent: metadata(wider, { propertyDependencies: { sizeCu: ["u::a"], branchId: null } }) },
    { resOpFailedEvent: metadata(updateOf("failed", { sizeCu: 4 })) },
    { resourcePreEvent: { metadata: { op: "read", urn: `${stack}2`, type: "x", old: { external: true } } } },
    diagnosed("warning", "warning: kept", { urn: wider.urn }),
    diagnosed("info", "written over", { urn: wider.urn, ephemeral: true }),
    diagnosed("debug", "nobody's", { urn: wider.urn }),
    diagnosed("warning", "nobody's"),
    diagnosed("error", "<{%fg 1%}>error: no room"),
    policy("mandatory", wider.urn),
    policy("mandatory"),
    policy("advisory"),
    ended,
  ),
  "with a policy that has no exceptions": streamed(policy("mandatory", wider.urn, { exceptions: [] }), ended),
  "with a policy whose violation is excepted": streamed(
    policy("mandatory", wider.urn, { exceptions: [{ id: "EXC-42", reason: "for this week" }] }),
    ended,
  ),
  "without an end": streamed({ resourcePreEvent: metadata(wider) }),
  "of a failure without a word": streamed({ summaryEvent: { result: "failed" } }),
});

it("values that are secret or unknown are marked, at any depth and in both forms", () => {
  const signature = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "[secret]" };
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const number = "3eeb2bf0-c639-47a8-9e75-3b44932eb421";
  const output = { "4dabf18193072939515e22adb298388d": "d0e6a833031e9bbcd3f4e8bde6ca49a4" };
  const outputs = { h: output, i: { ...output, value: "y" }, j: { ...output, value: "y", secret: true } };
  const given = { a: "[secret]", b: signature, c: { d: [unknown] }, e: number, f: "x", g: null, ...outputs };
  expect(readProperties(given)).toEqual({
    a: SECRET,
    b: SECRET,
    c: { d: [UNKNOWN] },
    e: UNKNOWN,
    f: "x",
    g: null,
    h: UNKNOWN,
    i: "y",
    j: SECRET,
  });
});

const printed = (steps: object[], diagnostics: object[] = []) =>
  text(JSON.stringify({ steps, diagnostics, changeSummary: {} }));
const printedUpdate = (...args: Parameters<typeof updateOf>) => {
  const { before, after, ...step } = updateOf(...args);
  return { ...step, oldState: { type: step.type, ...before }, newState: { type: step.type, ...after } };
};

it("a name that every object has is that of a setting", () => {
  const names = ["constructor", "hasOwnProperty", "toString"];
  const pgSettings = Object.fromEntries(names.map((name) => [name, "1"]));
  const steps = [
    updateOf("a", { pgSettings }),
    updateOf("b", { pgSettings: {} }, stateOf({ pgSettings })),
    ...names.map((type) => ({ op: "create", urn: `urn:pulumi:s::p::${type}::a`, type })),
  ];
  const report = toReport(planOf(steps));
  const [set, unset] = [{ is: "value", value: "1" }, { is: "unset" }];
  expect(report.endpoints.map(({ properties }) => properties)).toEqual([
    names.map((name) => ({ name: `pgSettings.${name}`, from: unset, to: set })),
    names.map((name) => ({ name: `pgSettings.${name}`, from: set, to: unset })),
  ]);
  expect(report.otherChanges).toBe(names.length);
});

describe("a plan that was made to exhaust its reader", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

  it("is refused for its depth, in either form", () => {
    const deep = `{"changeSummary": {}, "steps": [{"op": "create", "urn": "u", "newState": {"inputs": {"a": ${nested(100_000)}}}}]}`;
    for (const form of [deep, `${deep}\n${deep}`])
      expect(() => readPlan(text(form))).toThrow(/^cannot read the plan: it has more than 500 levels/);
  });

  it("is read where its values are as deep as a program's may be", () => {
    const plan = printed([printedUpdate("a", { pgSettings: { a: JSON.parse(nested(400)) } })]);
    expect(toReport(readPlan(plan)).endpoints).toHaveLength(1);
  });

  it("is refused for its size", () => {
    expect(() => readPlan(new Uint8Array(256 * 1024 * 1024 + 1))).toThrow(
      /^cannot read the plan: it has more than 268435456 bytes/,
    );
  });

  it("has each of its steps looked at a few times, however many replacements it has", () => {
    const count = 2_000;
    let looks = 0;
    const steps = Array.from({ length: count }, (_, index): PlanStep => {
      const step = stepFor(`e${index}`, "replace", { before: stateOf(), after: { inputs: {}, outputs: {} } });
      const { urn } = step;
      return Object.defineProperty(step, "urn", {
        get: () => {
          looks += 1;
          return urn;
        },
      });
    });
    expect(toReport(planOf(steps)).endpoints).toHaveLength(count);
    expect(looks).toBeLessThan(count * 20);
  });

  it("has the engine's colour marks taken out of an error of any length", () => {
    const marks = "<{%".repeat(1_000_000);
    const message = `<{%fg 1%}>error: ${marks}`;
    expect(toReport(readPlan(printed([], [{ severity: "error", message }]))).errors).toEqual([
      expect.stringMatching(/^<\{%<\{%.*…$/),
    ]);
  });
});

describe("a key of the platform in what the engine printed", () => {
  const key = `napi_${"k3y".repeat(12)}`;
  const own = "another/form+of=key.$&(1)";
  const places = (secret: string) =>
    printed(
      [printedUpdate(secret, { branchId: secret, restartTrigger: `a ${secret}`, pgSettings: { [secret]: secret } })],
      [{ severity: "error", message: `error: pgcompute:apikey: value {${secret}} has a problem` }],
    );
  const all = (plan: Uint8Array) => {
    const report = toReport(readPlan(plan, own));
    return [toMarkdown(report), toHtml(report), toJson(report)];
  };

  it.each([
    ["by its form", key, key],
    ["by the environment", own, own],
    ["cut by invisible characters", [...key].join("\u200b"), key],
    ["cut by terminal sequences", `${key.slice(0, 20)}\u001b[31m${key.slice(20)}`, key],
    ["cut by the engine's colours", `${key.slice(0, 20)}<{%reset%}>${key.slice(20)}`, key],
  ])("is in no report: %s", (_, written, secret) => {
    for (const text of all(places(written))) {
      expect(text).toContain("API key");
      expect(text).not.toContain(secret);
      expect(text).not.toContain(secret.slice(5, 25));
    }
  });

  it.each([
    [key, `${key}x`],
    ["[API key]", key],
    [key, `${key.slice(0, 9)}\u200b${key.slice(9)}`],
  ])("hides no change and no endpoint, and each key by its own mask: %j to %j", (from, to) => {
    const changed = printedUpdate("a", { restartTrigger: to }, stateOf({ restartTrigger: from }));
    const gone = [from, to].map((name) => ({ ...stepFor(name, "delete"), oldState: changed.oldState }));
    const errors = [from, to].map((message) => ({ severity: "error", message }));
    const report = toReport(readPlan(printed([changed, ...gone], errors)));
    expect(endpointOf(report, "a").restarts).toBe("yes");
    expect(report.endpoints).toHaveLength(3);
    expect(report.errors).toEqual(["[API key]", "[API key 2]"]);
    expect(toJson(report)).not.toContain(key.slice(5));
  });

  it("is left alone where the variable holds what can be no key", () => {
    const plan = printed([printedUpdate("resized", { sizeCu: 2 })]);
    expect(toReport(readPlan(plan, "resized"))).toEqual(toReport(readPlan(plan)));
  });
});
