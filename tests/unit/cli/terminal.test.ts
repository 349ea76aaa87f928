import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { gateConditions } from "../../../cli/review/disruption";
import { toReport } from "../../../cli/review/report";
import type { Report } from "../../../cli/review/report-model";
import { toTerminal } from "../../../cli/review/terminal";
import { creationOf, planOf, reportOn, stateOf, stepFor, updateOf } from "./support/plans";

const everything = { failOn: gateConditions, pricePerCuHour: 0.16, currency: "EUR" };

/** What a terminal of so many columns shows. */
function shown(report: Report, columns?: number, env: NodeJS.ProcessEnv = {}): string {
  const out = { write: () => {}, isTerminal: true, ...(columns !== undefined && { columns: () => columns }) };
  return toTerminal(report, { out, env });
}

const linesOf = (text: string) => stripVTControlCharacters(text).split("\n");

describe("the report on a terminal", () => {
  it.each([
    ["80 columns", 80, 80],
    ["80 columns where it does not say", undefined, 80],
    ["120 columns", 120, 120],
    ["60 columns", 60, 60],
  ])("has lines of at most %s", (_, columns, most) => {
    for (const file of ["plugin-changes.json", "plugin-replacements.json", "dynamic-changes.json"]) {
      const lines = linesOf(shown(reportOn(file, everything), columns));
      const longer = lines.filter((line) => stringWidth(line) > most && !isCommand(line));
      expect(longer).toEqual([]);
    }
  });

  it("leaves the columns of sizes out before those of what happens", () => {
    const [narrow = "", wide = ""] = [80, 200].map((columns) => shown(reportOn("plugin-changes.json"), columns));
    expect(narrow).toMatch(/^Endpoint +Change +Restart +Connections +Host$/m);
    expect(wide).toMatch(/^Endpoint +Change +Restart +Connections +Host +Downtime +Size +max_connections +Memory$/m);
    expect(stripVTControlCharacters(wide)).toMatch(/^resized .* 2 to 4 CU → 0.5 to 4 CU +901 → 225 +8 to 16 GB/m);
  });

  it("has every note on an endpoint", () => {
    const report = reportOn("plugin-changes.json");
    const notes = report.endpoints.flatMap((endpoint) => endpoint.notes);
    expect(notes).not.toEqual([]);
    for (const note of notes) expect(shown(report, 1_000, { NO_COLOR: "1" })).toContain(note);
  });

  it("has colours, and none where nobody wants them", () => {
    const report = reportOn("plugin-changes.json");
    expect(shown(report, 80)).toContain("\u001b[31mdropped\u001b[39m");
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const plain = shown(report, 80, env);
      expect(plain).not.toContain("\u001b");
      expect(plain).toBe(stripVTControlCharacters(shown(report, 80)));
    }
  });

  it("has commands whole, each on a line of its own", () => {
    const text = shown(reportOn("plugin-replacements.json"), 60, { NO_COLOR: "1" });
    const commands = linesOf(text).filter(isCommand);
    expect(commands.map((line) => line.trim())).toContain("PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up");
    for (const line of commands) expect(line).not.toMatch(/;|, /);
  });

  it("shows nothing that acts on a terminal, and no key", () => {
    const names = ["a\u001b[2Jb", "c\r\nd", "名前", "e\u202ef"];
    const steps = names.map((name, at) => updateOf(name, { pgSettings: { x: `\u001b]0;${at}\u0007secret-key-1` } }));
    const text = shown(toReport(planOf(steps)), 80, { NO_COLOR: "1", PGCOMPUTE_API_KEY: "secret-key-1" });
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text).not.toContain("secret-key-1");
    expect(text).toContain("名前");
  });

  it("tells equal changes once, and the worst first", () => {
    const steps = ["a", "b", "c"].map((name) => creationOf(name, { branchId: `br-${name}` }));
    const gone = stepFor("gone", "delete", { before: stateOf() });
    const text = shown(toReport(planOf([...steps, gone])), 80, { NO_COLOR: "1" });
    expect(text).toMatch(/^4 endpoints change: 1 deleted \(host gone, downtime\), 3 created$/m);
    expect(text.match(/^.*: created$/gm)).toEqual(["a, b, c: created"]);
    expect(text.indexOf("gone: deleted")).toBeLessThan(text.indexOf("a, b, c: created"));
  });
});

/** Commands are set in more than anything else. */
function isCommand(line: string): boolean {
  return /^ {10}\S/.test(line);
}
