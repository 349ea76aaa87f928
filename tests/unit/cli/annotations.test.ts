import { describe, expect, it } from "vitest";
import { toAnnotations } from "../../../cli/review/annotations";
import { toReport } from "../../../cli/review/report";
import { planOf, updateOf } from "./support/plans";

const warnings = (...names: string[]) =>
  toAnnotations(toReport(planOf(names.map((name, at) => updateOf(name, { sizeCu: 2, pgSettings: { a: `${at}` } })))))
    .split("\n")
    .filter(Boolean);

describe("the warnings beside a run", () => {
  it("are ten at most, and the last of more counts the others", () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `endpoint-${at}`);
    expect(warnings(...names(10))).toHaveLength(10);
    expect(warnings(...names(10)).at(-1)).toMatch(/^::warning title=endpoint-9%3A changed in place::/);
    expect(warnings(...names(30))).toHaveLength(10);
    expect(warnings(...names(30)).at(-1)).toBe("::warning title=Endpoints::22 further verdicts: see the report");
  });

  it("are none where nothing is disrupted", () => {
    expect(toAnnotations(toReport(planOf([])))).toBe("");
  });

  it.each(["a\n::error::b", "a\r::stop-commands::b", "a,title=b::c", "100%0A::error::b"])(
    "are one command each, whatever an endpoint is called: %j",
    (name) => {
      const [line = "", ...others] = warnings(name);
      expect(others).toEqual([]);
      const [, title = "", text] = /^::warning title=([^:,\r\n]*)::(.*)$/.exec(line) ?? [];
      expect(text).toContain("connections");
      expect(title).not.toMatch(/%(?!25|3A|2C)/);
    },
  );
});
