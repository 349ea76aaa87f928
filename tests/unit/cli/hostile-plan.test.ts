import { describe, expect, it } from "vitest";
import { toHtml } from "../../../cli/review/html";
import { toMarkdown } from "../../../cli/review/markdown";
import { readPlan } from "../../../cli/review/plan";
import type { PlanStep } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import { toJson } from "../../../cli/terminal/output";
import { endpointOf, planOf, stateOf, stepFor, updateOf } from "./support/plans";

const bytes = (document: unknown) => new TextEncoder().encode(JSON.stringify(document));
const printed = (steps: object[], diagnostics: object[] = []) => bytes({ steps, diagnostics, changeSummary: {} });
const printedUpdate = (name: string, inputs: object) => {
  const { before, after, ...step } = updateOf(name, { ...inputs });
  return { ...step, oldState: { type: step.type, ...before }, newState: { type: step.type, ...after } };
};

describe("names that every object has", () => {
  it.each(["constructor", "toString", "hasOwnProperty"])("are names of settings: %s", (name) => {
    const settings = Object.fromEntries([[name, "1"]]);
    const [added, gone] = [
      updateOf("a", { pgSettings: settings }),
      updateOf("a", { pgSettings: {} }, stateOf({ pgSettings: settings })),
    ].map((step) => toReport(planOf([step])));
    const [set, unset] = [{ is: "value", value: "1" }, { is: "unset" }];
    expect(added?.endpoints[0]?.properties).toEqual([{ name: `pgSettings.${name}`, from: unset, to: set }]);
    expect(gone?.endpoints[0]?.properties).toEqual([{ name: `pgSettings.${name}`, from: set, to: unset }]);
    for (const report of [added, gone]) if (report) expect(toMarkdown(report) + toHtml(report)).toContain(name);
  });

  it("are no types of endpoints", () => {
    const step = { op: "create", urn: "urn:pulumi:s::p::constructor::a", type: "constructor" };
    expect(toReport(planOf([step]))).toMatchObject({ endpoints: [], otherChanges: 1 });
  });
});

describe("a plan that was made to exhaust its reader", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

  it("is refused for its depth, in either form", () => {
    const deep = `{"changeSummary": {}, "steps": [{"op": "create", "urn": "u", "newState": {"inputs": {"a": ${nested(100_000)}}}}]}`;
    for (const text of [deep, `${deep}\n${deep}`]) {
      expect(() => readPlan(new TextEncoder().encode(text))).toThrow(
        /^cannot read the plan: it has more than 500 levels/,
      );
    }
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

  it("is hidden in events too, and each key by its own mask", () => {
    const other = `${key}x`;
    const event = { sequence: 1, timestamp: 1 };
    const lines = [key, other].map((secret) =>
      JSON.stringify({ ...event, diagnosticEvent: { severity: "error", message: secret } }),
    );
    lines.push(JSON.stringify({ ...event, summaryEvent: {} }));
    const { errors } = toReport(readPlan(new TextEncoder().encode(lines.join("\n"))));
    expect(errors).toEqual(["[API key]", "[API key 2]"]);
  });

  it.each([
    [key, `${key}x`],
    ["[API key]", key],
    [key, `${key.slice(0, 9)}\u200b${key.slice(9)}`],
  ])("hides no change: %j to %j", (from, to) => {
    const { before, after, ...step } = updateOf("a", { restartTrigger: to }, stateOf({ restartTrigger: from }));
    const report = toReport(
      readPlan(
        printed([{ ...step, oldState: { type: step.type, ...before }, newState: { type: step.type, ...after } }]),
      ),
    );
    expect(endpointOf(report, "a").restarts).toBe("yes");
  });

  it("hides no endpoint of which the name is a key", () => {
    const deletes = [key, `${key}x`].map((name) => stepFor(name, "delete"));
    const steps = deletes.map((step) => ({ ...step, oldState: { type: step.type, ...stateOf() } }));
    expect(toReport(readPlan(printed(steps))).endpoints.map(({ name }) => name)).toEqual(["[API key 2]", "[API key]"]);
  });

  it("is left alone where the variable holds what can be no key", () => {
    const plan = printed([printedUpdate("resized", { sizeCu: 2 })]);
    expect(toReport(readPlan(plan, "resized"))).toEqual(toReport(readPlan(plan)));
  });
});
