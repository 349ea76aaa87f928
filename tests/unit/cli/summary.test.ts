import { describe, expect, it } from "vitest";
import { parseConditions } from "../../../cli/review/command";
import { toReport } from "../../../cli/review/report";
import { gateConditions } from "../../../cli/review/report-model";
import { everyChange } from "./support/changes";
import { planOf, reportOn, updateOf } from "./support/plans";

describe("the summary and the gate", () => {
  it.each(everyChange)("take %s for what it may be", (_, step, words, conditions) => {
    const { summary, gate } = toReport(planOf([step]), { failOn: gateConditions });
    expect(summary).toBe(`1 endpoint changes: ${words}`);
    expect(gate?.met.map(({ condition }) => condition)).toEqual(conditions);
  });

  it("count, the worst first", () => {
    const sized = ["b", "c"].map((name) => updateOf(name, { sizeCu: 2 }));
    expect(toReport(planOf([updateOf("a", { suspendTimeoutSeconds: 60 }), ...sized])).summary).toBe(
      "3 endpoints change: 2 restarts (connections drop), 1 unaffected",
    );
  });

  it("look only at what they were asked for", () => {
    expect(reportOn("plugin-changes.json").gate).toBeUndefined();
    expect(reportOn("plugin-changes.json", { failOn: ["delete"] }).gate).toEqual({
      asked: ["delete"],
      met: [{ condition: "delete", endpoints: ["gone"] }],
    });
    expect(toReport(planOf([]), { failOn: ["restart"] }).gate).toEqual({ asked: ["restart"], met: [] });
    expect(parseConditions("downtime, restart")).toEqual(["restart", "downtime"]);
    expect(() => parseConditions("restarts")).toThrow(
      /"restarts" is not one of restart, restart-idle, replace, move, delete, downtime/,
    );
    expect(() => parseConditions("")).toThrow(/is not one of/);
  });
});
