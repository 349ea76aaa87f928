import { describe, expect, it } from "vitest";
import { readPlan } from "../../../cli/review/plan";
import { readProperties, SECRET } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { sample } from "./support/plans";

const text = (value: string) => new TextEncoder().encode(value);

describe("the engine's output", () => {
  it.each(["plugin", "dynamic"])("is the same plan in both of its forms, by the %s host", (host) => {
    const [whole, streamed] = [
      readPlan(sample(`${host}-changes.json`)),
      readPlan(sample(`${host}-changes-streamed.jsonl`)),
    ];
    const { unchanged: _, ...report } = toReport(whole);
    // Only the streamed form names what stays the same.
    expect(toReport(streamed)).toEqual({ ...report, unchanged: 1 });
  });

  it.each(["plugin", "dynamic"])("is the same plan with every step of a replacement shown, by the %s host", (host) => {
    const report = toReport(readPlan(sample(`${host}-replacements.json`)));
    expect(toReport(readPlan(sample(`${host}-replacements-steps.json`)))).toEqual(report);
    expect(toReport(readPlan(sample(`${host}-replacements-streamed.jsonl`)))).toEqual(report);
  });

  it.each(["plugin", "dynamic"])("is the same plan after a refresh, by the %s host", (host) => {
    const { unchanged: _, ...report } = toReport(readPlan(sample(`${host}-changes.json`)));
    expect(toReport(readPlan(sample(`${host}-changes-refreshed.json`)))).toEqual({ ...report, unchanged: 1 });
  });

  it("is read with a byte order mark, with CR LF, and as PowerShell writes it", () => {
    const plain = new TextDecoder().decode(sample("plugin-import-streamed.jsonl"));
    const expected = toReport(readPlan(text(plain)));
    expect(expected.endpoints).toHaveLength(1);
    const crlf = plain.replaceAll("\n", "\r\n");
    expect(toReport(readPlan(text(`\ufeff${crlf}`)))).toEqual(expected);
    expect(toReport(readPlan(Buffer.from(`\ufeff${crlf}`, "utf16le")))).toEqual(expected);
  });

  it.each([
    "plugin-failed.json",
    "plugin-failed-streamed.jsonl",
    "dynamic-failed.json",
    "dynamic-failed-streamed.jsonl",
  ])("of a preview that failed has the reasons: %s", (file) => {
    const report = toReport(readPlan(sample(file)));
    expect(report.errors).toHaveLength(2);
    expect(report.errors.join("\n")).toMatch(/"main" looks like a branch's name[\s\S]*9 CU is above the largest/);
    expect(report.summary).toBe("The preview failed, so this is not all. No endpoint changes");
  });

  it("has what YAML's host says of a wrong program as an error, though it is printed as information", () => {
    const message = "\u001b[31mError\u001b[0m: Property sizeCU does not exist on 'pgcompute:index:Endpoint'\n\n";
    const diagnostics = [{ severity: "info#err", message }];
    const report = toReport(readPlan(text(JSON.stringify({ diagnostics, duration: 1 }))));
    expect(report.errors).toEqual([expect.stringMatching(/Property sizeCU does not exist/)]);
  });

  it("that stops before its end is not taken for a plan without changes", () => {
    const lines = new TextDecoder().decode(sample("plugin-changes-streamed.jsonl")).trim().split("\n");
    const report = toReport(readPlan(text(lines.slice(0, 10).join("\n"))));
    expect(report.errors).toEqual([expect.stringMatching(/stop before their end/)]);
  });

  it.each([
    ["nothing", "", /the input is empty/],
    ["blanks", " \n", /the input is empty/],
    ["the text of a preview", "Previewing update (dev)\n", /not what `pulumi preview --json` prints/],
    ["another document", '{"hello": 1}', /not what/],
    ["a list", "[]", /not what/],
    ["text before the document", 'warning: x\n{"steps": []}', /without other text/],
    ["half a document", '{"steps": [', /not what/],
  ])("is refused where it is %s", (_, input, reason) => {
    expect(() => readPlan(text(input))).toThrow(reason);
  });

  it("of an empty stack has no endpoints", () => {
    expect(toReport(readPlan(text('{"changeSummary": {}}')))).toMatchObject({
      summary: "No endpoint changes",
      errors: [],
    });
  });
});

describe("values", () => {
  it("that are secret or unknown are marked, at any depth and in both forms", () => {
    const signature = {
      "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
      ciphertext: "[secret]",
    };
    const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
    const number = "3eeb2bf0-c639-47a8-9e75-3b44932eb421";
    expect(readProperties({ a: "[secret]", b: signature, c: { d: [unknown] }, e: number, f: "x", g: null })).toEqual({
      a: SECRET,
      b: SECRET,
      c: { d: [UNKNOWN] },
      e: UNKNOWN,
      f: "x",
      g: null,
    });
  });
});
