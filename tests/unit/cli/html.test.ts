import { describe, expect, it } from "vitest";
import { positionOf, toHtml } from "../../../cli/review/html";
import { html, Markup } from "../../../cli/review/html-page";
import { toReport } from "../../../cli/review/report";
import { planOf, reportOn, updateOf } from "./support/plans";

describe("the HTML report", () => {
  it("needs nothing else and runs nothing", () => {
    const page = toHtml(reportOn("plugin-changes.json"));
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<script|<link|<img|<iframe|src=|href="(?!#)|url\(|@import|\son\w+=/i);
  });

  it("says before and after of each size as text, beside bars on one scale", () => {
    const page = toHtml(reportOn("dynamic-changes.json"));
    expect(page).toContain('aria-label="Before: 2 to 4 CU"');
    expect(page).toContain('aria-label="After: 0.5 to 4 CU"');
    expect(page).toContain('<span class="size">0.5 to 4 CU</span>');
  });

  it("lists the endpoints first, each with what it suffers and a link to its card", () => {
    const page = toHtml(reportOn("plugin-changes.json"));
    const lines = [...page.matchAll(/<li><a href="#(.*?)">(.*?)<\/a>(.*?)<\/li>/g)].map(([, anchor, name, rest]) => {
      const [, linked] = page.match(new RegExp(`id="${anchor}">\\n.*?<h2>(.*?)</h2>`)) ?? [];
      expect(linked).toBe(name);
      return `${name}: ${rest?.replace(/<\/span>(?=<)/g, ", ").replace(/<.*?>/g, "")}`;
    });
    expect(lines).toEqual([
      "resized: changed in place, restarts, connections drop, max_connections 901 → 225",
      "typed: replaced, connections drop, host changes",
      "gone: deleted, connections drop, host gone, downtime",
      "moved: changed in place, connections drop, downtime, restart not stated",
      "triggered: changed in place, may restart, connections may drop",
      "fresh: created, may allow connections without a password",
      "adopted: released, nothing disrupted",
      "delayed: changed in place, nothing disrupted",
    ]);
    expect(toHtml(toReport(planOf([updateOf("a", { sizeCu: 2 })])))).not.toContain("<nav");
  });

  it.each([
    ["plugin-import.json", "passed", "Gate passed: nothing of delete"],
    ["plugin-failed.json", "undecided", "Gate not decided on delete: the preview failed"],
    ["plugin-changes.json", "alarm", "Gate failed on delete: 1 endpoint (gone)"],
  ])("says of %s that the gate is %s", (file, kind, words) => {
    const page = toHtml(reportOn(file, { failOn: ["delete"] }));
    expect(page).toContain(`<section class="card ${kind}" aria-label="Gate"><p>${words}</p></section>`);
  });

  it("marks fewer connections, and nothing else, as a fall", () => {
    const fallen = (sizeCu: number) =>
      toHtml(toReport(planOf([updateOf("a", { sizeCu })]), { platform: "specification" })).match(
        /<div class="falls">.*?<\/div>/g,
      ) ?? [];
    expect(fallen(2)).toEqual([]);
    expect(fallen(0.5)).toEqual(['<div class="falls"><dt>max_connections</dt><dd>450 → 225</dd></div>']);
  });

  it("has a figure that no plan holds as not known, before a takeover", () => {
    const page = toHtml(reportOn("plugin-replacements.json"));
    expect(page).toContain("<dd>not known → 1802</dd>");
  });

  it("escapes whatever comes from a program", () => {
    const evil = `"><img src=x onerror=alert(1)>'&`;
    const report = toReport(
      { ...planOf([updateOf(evil, { pgSettings: { [evil]: evil } })]), errors: [evil] },
      { failOn: ["restart"] },
    );
    const page = toHtml(report);
    expect(page).not.toContain("<img");
    expect(page.match(/&quot;&gt;&lt;img src=x onerror=alert\(1\)&gt;&#39;&amp;/g)?.length).toBeGreaterThanOrEqual(3);
  });

  it.each([
    [0.25, 0],
    [0.5, 20.8],
    [7, 100],
    [9, 100],
    [0.1, 0],
  ])("has %f CU at %f percent of the scale", (cu, percent) => {
    expect(positionOf(cu, { min: 0.25, max: 7 })).toBeCloseTo(percent, 1);
  });
});

describe("a template", () => {
  it("escapes text and attributes, and takes markup as it is", () => {
    expect(html`<a b="${'"<'}">${["x", "y"].map((each) => html`<i>${each}&</i>`)}${3}</a>`.text).toBe(
      '<a b="&quot;&lt;"><i>x&</i>\n<i>y&</i>3</a>',
    );
    expect(html`${new Markup("<b>")}`.text).toBe("<b>");
  });
});
