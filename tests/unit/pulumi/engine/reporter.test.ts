import { describe, expect, it } from "vitest";
import type { DiffResult } from "../../../../provider/endpoint/diff";
import { reportDiff } from "../../../../provider/pulumi/endpoint/preview";
import { type EngineLog, engineReporter } from "../../../../provider/pulumi/engine";

const redact = (text: string) => text.replace("hush", "[secret]");
const unsaid = () => ({ said: new Set<string>(), redact });

it("the engine's reporter says a line once in a run, on the resource's own row, and every status, each without secrets", () => {
  const { lines, log } = collect();
  const kept = unsaid();
  for (const urn of ["urn-1", "urn-1", "urn-2"]) {
    const reporter = engineReporter(log, urn, kept);
    reporter.warn("careful, hush");
    reporter.info("careful, hush");
    reporter.status("working, hush");
  }
  expect(lines.filter((line) => line.startsWith("warning"))).toEqual([
    "warning urn-1 careful, [secret]",
    "warning urn-2 careful, [secret]",
  ]);
  const statuses = lines.filter((line) => line.startsWith("status"));
  expect(statuses.map((line) => line.slice(-17))).toEqual(Array(3).fill("working, [secret]"));
});

describe("reportDiff", () => {
  const impact = { restarts: false, dropsConnections: false, hostChanges: false, downtime: false };
  const base: DiffResult = {
    changes: true,
    replaces: false,
    properties: {},
    deletesFirst: false,
    messages: ["first", "second"],
  };

  it.each<[string, Partial<typeof impact> | undefined, string]>([
    ["nothing is known", undefined, "info"],
    ["nobody notices", {}, "info"],
    ["it restarts", { restarts: true }, "warning"],
    ["connections drop", { dropsConnections: true }, "warning"],
    ["the host changes", { hostChanges: true }, "warning"],
    ["it is down", { downtime: true }, "warning"],
  ])("tells people when %s", (_, changes, level) => {
    const { lines, log } = collect();
    const result = changes === undefined ? base : { ...base, impact: { ...impact, ...changes } };
    reportDiff(engineReporter(log, "urn", unsaid()), result as DiffResult);
    expect(lines).toEqual([`${level} urn first; second`]);
  });

  it("says nothing where there is nothing to say", () => {
    const { lines, log } = collect();
    reportDiff(engineReporter(log, "urn", unsaid()), { ...base, messages: [] });
    expect(lines).toEqual([]);
  });
});

function collect(): { lines: string[]; log: EngineLog } {
  const lines: string[] = [];
  return {
    lines,
    log: {
      log: (level, message, urn) => lines.push(`${level} ${urn} ${message}`),
      flush: async () => {},
      close: () => {},
    },
  };
}
