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
