import { describe, expect, it } from "vitest";
import { toHtml } from "../../../cli/review/html";
import { toMarkdown } from "../../../cli/review/markdown";
import type { PlanMessage } from "../../../cli/review/plan-model";
import { SECRET } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import { planOf, reportOn, stateOf, stepFor, updateOf } from "./support/plans";

const messagesIn = (steps: Parameters<typeof planOf>[0], messages: PlanMessage[]) =>
  toReport({ ...planOf(steps), messages }).messages.map(
    ({ name, severity, message }) => `${severity} ${name}: ${message}`,
  );
const urn = stepFor("main", "update").urn;
const impact = "restarts the endpoint: open connections are dropped; size 1 CU -> 2 CU";
const figures = "max_connections 450 -> 901 (set by the minimum size); memory 4 GB -> 8 GB";

describe("what the provider says in a preview", () => {
  it.each(["plugin", "dynamic"])("is in the report of the %s host, less what that says itself", (host) => {
    expect(reportOn(`${host}-changes.json`).messages).toMatchObject([
      { name: "typed", severity: "warning", message: "replaced: an endpoint cannot change its type" },
    ]);
    const replacements = reportOn(`${host}-replacements.json`).messages;
    expect(replacements.map(({ name }) => name).sort()).toEqual(["first", "forced", "option"]);
    const forced = replacements.find(({ name }) => name === "forced");
    expect(forced?.message).toMatch(
      /was created for this resource by an earlier run.*the engine deletes it afterwards$/,
    );
  });

  it("is the same in both forms of a plan", () => {
    for (const plan of ["plugin-changes", "plugin-replacements", "plugin-import"]) {
      expect(reportOn(`${plan}-streamed.jsonl`).messages).toEqual(reportOn(`${plan}.json`).messages);
    }
    expect(reportOn("plugin-import.json").messages).toMatchObject([
      { name: "imported", message: expect.stringMatching(/no longer sets passwordlessAccess/) },
    ]);
  });

  it("is told of endpoints that stay, and of the provider, once; not of other resources", () => {
    const bucket = "urn:pulumi:prod::shop::aws:s3:Bucket::b";
    const provider = "urn:pulumi:prod::shop::pulumi:providers:pgcompute::default";
    const child = urn.replace("pgcompute:index", "shop:index:Shop$pgcompute:index");
    const said = (on: string, message: string): PlanMessage => ({ urn: on, severity: "warning", message });
    expect(
      messagesIn(
        [stepFor("main", "same")],
        [said(urn, "a"), said(urn, "a"), said(bucket, "b"), said(provider, "c"), said(child, "d")],
      ),
    ).toEqual(["warning main: a", "warning default: c", "warning main: d"]);
  });

  it("is left out where it is the impact, wherever that stands", () => {
    const step = updateOf("main", { sizeCu: 2 });
    const said = (message: string): PlanMessage[] => [{ urn, severity: "info", message }];
    expect(messagesIn([step], said(`${impact}; ${figures}`))).toEqual([]);
    expect(messagesIn([step], said(`operation o was still "running"; ${impact}; ${figures}`))).toEqual([
      'info main: operation o was still "running"',
    ]);
  });

  it.each([
    ["before", updateOf("main", { sizeCu: 2 }, stateOf({ sizeCu: SECRET }))],
    ["after", updateOf("main", { sizeCu: SECRET })],
  ])("gives no secret away that the endpoint has %s", (_, step) => {
    expect(messagesIn([step], [{ urn, severity: "warning", message: impact }])).toEqual([]);
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
