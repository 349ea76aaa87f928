import { describe, expect, it } from "vitest";
import { toReport } from "../../../cli/review/report";
import { expectReport } from "../../support/report-schema";
import { planOf, updateOf } from "./support/plans";

const report = JSON.parse(JSON.stringify(toReport(planOf([updateOf("main", { sizeCu: 2 })]))));
const [endpoint] = report.endpoints;

describe("the schema of a report in JSON", () => {
  it("has what a review writes", () => expectReport(JSON.stringify(report)));

  it.each([
    ["another version", { ...report, version: 2 }],
    ["no endpoints", { ...report, endpoints: undefined }],
    ["another verdict", { ...report, endpoints: [{ ...endpoint, restarts: "maybe" }] }],
    ["half a range", { ...report, endpoints: [{ ...endpoint, sizeCu: { before: { min: 1 } } }] }],
    ["a field that it does not name", { ...report, endpoints: [{ ...endpoint, other: 1 }] }],
  ])("does not have %s", (_, other) => {
    expect(() => expectReport(JSON.stringify(other))).toThrow();
  });
});
