import { describe, expect, it } from "vitest";
import { toHtml } from "../../../cli/review/html";
import { toMarkdown } from "../../../cli/review/markdown";
import type { PlanMessage } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import { planOf, reportOn, stepFor, updateOf } from "./support/plans";

const messagesIn = (steps: Parameters<typeof planOf>[0], messages: PlanMessage[]) =>
  toReport({ ...planOf(steps), messages }).messages.map(
    ({ name, severity, message }) => `${severity} ${name}: ${message}`,
  );
const urn = stepFor("main", "update").urn;

describe("what the provider says in a preview", () => {
  it.each(["plugin", "dynamic"])("is in the report of the %s host as it was said, warnings first", (host) => {
    const { messages } = reportOn(`${host}-changes.json`);
    expect(messages.map(({ name, severity }) => `${severity} ${name}`)).toEqual([
      "warning moved",
      "warning resized",
      "warning typed",
      "info delayed",
      "info triggered",
    ]);
    expect(messages[2]?.message).toMatch(/^replaced: an endpoint cannot change its type; .*host name changes/);
  });

  it("is the same in both forms of a plan", () => {
    for (const plan of ["plugin-changes", "plugin-replacements", "plugin-import"]) {
      expect(reportOn(`${plan}-streamed.jsonl`).messages).toEqual(reportOn(`${plan}.json`).messages);
    }
    expect(reportOn("plugin-import.json").messages).toMatchObject([
      { name: "imported", message: expect.stringMatching(/no longer sets passwordlessAccess/) },
    ]);
  });

  it("is told of endpoints that stay, once, and not of other resources; what is said of the provider is its configuration", () => {
    const bucket = "urn:pulumi:prod::shop::aws:s3:Bucket::b";
    const provider = "urn:pulumi:prod::shop::pulumi:providers:pgcompute::default";
    const child = urn.replace("pgcompute:index", "shop:index:Shop$pgcompute:index");
    const said = (on: string, message: string): PlanMessage => ({ urn: on, severity: "warning", message });
    const messages = [said(urn, "a"), said(urn, "a"), said(bucket, "b"), said(provider, "c"), said(child, "d")];
    expect(messagesIn([stepFor("main", "same")], messages)).toEqual(["warning main: a", "warning main: d"]);
    const report = toReport({ ...planOf([stepFor("main", "same")]), messages });
    expect(report.configuration).toMatchObject([{ name: "default", says: ["c"] }]);
    expect(toMarkdown(report)).toContain("**The provider's configuration changes**\n\nCompute");
    expect(toMarkdown(report)).toContain("- Configuration of `default`: `c`");
  });

  it("is text in Markdown and HTML, and not all of it in a comment", () => {
    const messages = Array.from(
      { length: 200 },
      (_, index): PlanMessage => ({ urn, severity: "warning", message: `${index} <b>@team|${"x".repeat(1_500)}` }),
    );
    const report = toReport({ ...planOf([updateOf("main", { sizeCu: 2 })]), messages });
    const markdown = toMarkdown(report);
    expect(markdown).toContain("- warning on `main`: `0 <b>@team|xxx");
    expect(markdown).toContain("- and 180 messages more");
    expect(markdown).toContain("| `main` | changed in place |");
    expect(toHtml(report)).toContain("<li><strong>main</strong> (warning): 199 &lt;b&gt;@team|xxx");
  });
});
