import { describe, expect, it } from "vitest";
import { toHtml } from "../../../cli/review/html";
import { MARKER, MAX_COMMENT, toMarkdown } from "../../../cli/review/markdown";
import { toReport } from "../../../cli/review/report";
import { gateConditions } from "../../../cli/review/report-model";
import { planOf, reportOn, stateOf, stepFor, updateOf } from "./support/plans";

const many = (count: number) =>
  toReport(
    planOf(
      Array.from({ length: count }, (_, index) =>
        updateOf(`endpoint-${index}`, { sizeCu: 2, pgSettings: { a: `${index}`.padEnd(200, "x") } }),
      ),
    ),
    { failOn: gateConditions, pricePerCuHour: 0.1 },
  );

describe("the Markdown report", () => {
  it("begins with its marker and the summary", () => {
    const report = reportOn("plugin-changes.json");
    expect(toMarkdown(report).split("\n").slice(0, 3)).toEqual([MARKER, "", `**${report.summary}**`]);
  });

  it("has a row for each endpoint, and its properties from and to", () => {
    const text = toMarkdown(reportOn("dynamic-changes.json"));
    expect(text).toContain(
      "| `resized` | changed in place | **yes** | **dropped** | kept | no, away briefly | 2\u00a0to\u00a04\u00a0CU → 0.5\u00a0to\u00a04\u00a0CU | **901 → 225** | 8\u00a0to\u00a016\u00a0GB → 2\u00a0to\u00a016\u00a0GB |",
    );
    expect(text).toContain("| `suspendTimeoutSeconds` | `after 600 s` | `after 300 s (default)` |");
    expect(text).toContain("| `pgSettings` | `[secret]` | `[secret]` (may be the same: the plan does not tell) |");
    expect(text).not.toContain("Cost");
  });

  it("shows money only for a price", () => {
    const text = toMarkdown(reportOn("plugin-changes.json", { pricePerCuHour: 0.16 }));
    expect(text).toContain("- Cost a month: 58.40 → 0.00");
    expect(text).toMatch(/at 0\.16 a CU-hour: 58\.40–963\.60 → 0\.00–1,197\.20/);
  });

  it("has money in the currency that was given", () => {
    const text = toMarkdown(reportOn("plugin-changes.json", { pricePerCuHour: 0.16, currency: "EUR" }));
    expect(text).toContain("- Cost a month: €58.40 → €0.00");
    expect(text).toMatch(/at 0\.16 EUR a CU-hour: €58\.40–€963\.60 → €0\.00–€1,197\.20/);
  });

  it("tells three and more equal changes once, with what each has for itself", () => {
    const change = (name: string, sizeCu: number) =>
      updateOf(
        name,
        { sizeCu, branchId: `br-${name}` },
        { ...stateOf({ branchId: `br-${name}` }), id: `p-1/ep-${name}` },
      );
    const equal = ["a", "b", "c", "e"].map((name) => change(name, 2));
    const report = toReport(planOf([...equal, change("d", 4)]));
    const text = toMarkdown(report);
    expect(text).toMatch(/^\| `a`, `b`, `c` and 1 more \| changed in place \|/m);
    expect(text).toMatch(/^\| `d` \| changed in place \|/m);
    expect(text).toContain("- `e`: endpoint `p-1/ep-e`");
    expect(text.match(/<details>/g)?.length).toBe(2);
    const page = toHtml(report);
    expect(page).toContain("<h2>a, b, c and 1 more</h2>");
    expect(page).toContain("<summary>4 endpoints, each as follows</summary>");
    expect(page.match(/<article/g)?.length).toBe(2);
    // Two are told one by one.
    expect(toMarkdown(toReport(planOf(equal.slice(0, 2)))).match(/<details>/g)?.length).toBe(2);
  });

  it.each([200, 2_000])("names every endpoint of %i equal deletes that fits, and counts the others", (count) => {
    const names = Array.from({ length: count }, (_, at) => `member-${at}`);
    const gone = names.map((name) => stepFor(name, "delete", { before: stateOf({ branchId: `br-${name}` }) }));
    const text = toMarkdown(toReport(planOf(gone)));
    expect(text.length).toBeLessThanOrEqual(MAX_COMMENT);
    const listed = names.filter((name) => text.includes(`\n- \`${name}\``)).length;
    const [, left = "0"] = text.match(/the names or details of (\d+) endpoints/) ?? [];
    expect(listed + Number(left)).toBe(count);
    expect(listed).toBeGreaterThan(count === 200 ? 199 : 1_500);
  });

  it.each([1, 20, 100, 1_000, 5_000, 20_000])("fits a comment with %i changes", (count) => {
    const report = many(count);
    const text = toMarkdown(report);
    expect(text.length).toBeLessThanOrEqual(MAX_COMMENT);
    expect(text).toContain(report.summary);
    expect(text).toContain("Gate failed on restart");
    expect(text).toContain("CU-hours in a month");
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
    const left = text.match(
      /Left out, to fit a comment: (?:(\d+) rows? of the table and )?the names or details of (\d+) endpoints/,
    );
    const rows = text.match(/^\| `endpoint-\d+` \|/gm)?.length ?? 0;
    const details = text.match(/<details>/g)?.length ?? 0;
    expect(rows + Number(left?.[1] ?? 0)).toBe(count);
    expect(details + Number(left?.[2] ?? 0)).toBe(count);
  });

  it("uses the room there is", () => {
    expect(toMarkdown(many(20_000)).length).toBeGreaterThan(MAX_COMMENT * 0.95);
  });

  it.each([
    ["a cell's end", "a|b", "<code>a&#124;b</code>"],
    ["a cell's end after a backslash", "a\\|b", "<code>a&#92;&#124;b</code>"],
    ["a backtick", "a`b", "``a`b``"],
    ["markup", "<img src=x onerror=alert(1)>", "`<img src=x onerror=alert(1)>`"],
    ["a mention", "@team", "`@team`"],
    ["a line break", "a\nb", "`a b`"],
  ])("takes %s in a name for text", (_, name, expected) => {
    const text = toMarkdown(toReport(planOf([updateOf(name, { sizeCu: 2 })])));
    expect(text).toContain(`| ${expected} | changed in place |`);
    const [summary] = text.match(/<summary>.*<\/summary>/) ?? [];
    expect(summary).not.toMatch(/<img/);
  });

  it("escapes what the engine and the rules say", () => {
    const report = toReport({
      ...planOf([updateOf("a", { pgSettings: { "@all_<b>": "1" } })]),
      errors: ["<script>|`x`"],
    });
    const text = toMarkdown(report);
    expect(text).toContain("- `` <script>|`x` ``");
    expect(text).toContain("pgSettings (`@`all\\_\\<b\\>)");
    expect(text).not.toContain("(fewer)");
  });
});
