import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { describe, expect, it } from "vitest";
import { gateConditions } from "../../../cli/review/disruption";
import { MAX_COMMENT, toMarkdown } from "../../../cli/review/markdown";
import { toReport } from "../../../cli/review/report";
import { fc, runsOr } from "../../support/random";
import { planOf, stateOf, stepFor, updateOf } from "./support/plans";

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
  it.each([200, 6_000])("names 200 endpoints of %i equal deletes, and counts the others", (count) => {
    const names = Array.from({ length: count }, (_, at) => `member-${at}`);
    const gone = names.map((name) => stepFor(name, "delete", { before: stateOf({ branchId: `br-${name}` }) }));
    const text = toMarkdown(toReport(planOf(gone)));
    expect(text.length).toBeLessThanOrEqual(MAX_COMMENT);
    const listed = names.filter((name) => text.includes(`\n- \`${name}\``)).length;
    const [, left = "0"] = text.match(/the names or details of (\d+) endpoints/) ?? [];
    expect([listed, Number(left)]).toEqual([200, count - 200]);
  });

  it.each([
    ["its id", "p-1/ep-1", true],
    ["its project", "p-1", true],
    ["another id", "p-1/ep-2", false],
  ])("says of a delete that the environment takes it back, by %s, and counts it", (_, id, isLeft) => {
    const before = stateOf({ projectId: "p-1", endpointId: "ep-1" });
    const report = toReport(planOf([stepFor("main", "delete", { before })]), { forget: [id], failOn: ["delete"] });
    const told = JSON.stringify(report.endpoints);
    expect(told.includes("left where it is (PGCOMPUTE_FORGET)")).toBe(isLeft);
    expect(report.gate?.met).toHaveLength(1);
  });

  it.each([1, 20, 100, 1_000, 20_000])("fits a comment with %i changes", (count) => {
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
    if (count === 20_000) expect(text.length).toBeGreaterThan(MAX_COMMENT * 0.95);
  });
});

/** The HTML elements of a rendered report: none that links, loads, or imitates the report's own text. */
const allowed = "br code details input li p strong summary table tbody td th thead tr ul".split(" ");

/** The report with this text wherever a program, a platform or an engine can put one, as a browser gets it. */
function rendered(text: string): string {
  const step = updateOf(
    text,
    { sizeCu: 0.5, branchId: "br-2", pgSettings: { [text]: text } },
    { ...stateOf({ host: text }), id: text },
  );
  const report = toReport(
    {
      ...planOf([step, updateOf("last", { sizeCu: 2 })]),
      errors: [text],
      messages: [{ urn: step.urn, severity: "warning", message: text }],
    },
    { failOn: gateConditions },
  );
  return micromark(
    toMarkdown({ ...report, project: text, stack: text, approval: { seal: text, differences: [text] } }),
    {
      // GitHub takes harmless HTML; what is not harmless must not depend on its filter.
      allowDangerousHtml: true,
      extensions: [gfm()],
      htmlExtensions: [gfmHtml()],
    },
  );
}

function expectHarmless(text: string): void {
  const html = rendered(text);
  const tags = [...html.matchAll(/<\/?([a-z][a-z0-9]*)([^>]*)>/gi)];
  expect(tags.map(([, name = ""]) => name).filter((name) => !allowed.includes(name))).toEqual([]);
  expect(tags.map(([, , attributes = ""]) => attributes.trim()).filter((one) => !["", "/"].includes(one))).toEqual([]);
  // Each row has all its cells, so no text has ended one.
  const rows = html.split("<tr>").slice(1);
  const cells = rows.map((row) => row.match(/<t[dh]>/g)?.length);
  expect(cells.filter((count) => count !== 9 && count !== 3)).toEqual([]);
  expect(html).toMatch(/<td><code>last<\/code><\/td>\n<td>changed in place<\/td>/);
  // Outside of code GitHub makes links of people, issues and addresses.
  const outside = html.replace(/<code>.*?<\/code>/gs, "…").replace(/<[^>]+>/g, "");
  expect(outside).not.toMatch(/[@#]\w|:\/\/|www\.|GH-\d/i);
}

describe("the Markdown report, rendered as GitHub does", () => {
  it.each([
    "@org/team",
    "https://evil.test www.evil.test me@evil.test",
    "<img src=x onerror=alert(1)>",
    "x\\|<img src=x>",
    "`|`<img src=x>`",
    "[text](https://evil.test) ![](https://evil.test/x.png)",
    "<!-- pgcompute-review -->",
    "</code></summary></details><h1>approved</h1>",
    "- [x] approved",
    "&lt;img&gt; &#64;org",
    "\u2028\u0000\u001b[31m\u202e",
    "__proto__",
  ])("takes %j for a text, wherever it stands", (text) => {
    expectHarmless(text);
  });

  it("takes whatever else for a text", () => {
    const marks = [...'<>|\\`*_~[](){}#@!&;:/.-+=" \n$a1', "www.", "https://", "GH-1", "&#35;", "<b>"];
    const text = fc.array(fc.constantFrom(...marks), { minLength: 1, maxLength: 12 }).map((all) => all.join(""));
    fc.assert(fc.property(text, expectHarmless), { numRuns: runsOr(250) });
  });
});
