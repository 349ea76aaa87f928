/** Tests reviews of the engine's output in each of its forms: leftovers of earlier runs, hidden parts, and refusals. */
import { expect, it } from "vitest";
import { gateConditions } from "../../cli/review/disruption";
import { readPlan } from "../../cli/review/plan";
import { toReport } from "../../cli/review/report";
import type { Report } from "../../cli/review/report-model";
import { type Declarations, hosts } from "../engine/support/hosts";
import { type Program, useBench } from "../engine/support/platform";

const bench = useBench();

const forms: Record<string, { args: string[]; env?: Record<string, string> }> = {
  plain: { args: ["--json"] },
  steps: { args: ["--json", "--show-replacement-steps"] },
  streamed: { args: ["--json"], env: { PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" } },
};

/** What is reported of a program's preview in each form. */
async function reviewed(program: Program, declarations: Declarations): Promise<[string, Report][]> {
  const stack = program.is(declarations);
  const all: [string, Report][] = [];
  for (const [form, how] of Object.entries(forms)) {
    const plan = readPlan(Buffer.from((await stack.preview(how)).stdout));
    const shown = form === "steps" ? { ...plan, hidesLeftDeletes: false } : plan;
    all.push([form, toReport(shown, { failOn: gateConditions })]);
  }
  return all;
}

const metBy = ({ gate }: Report) => gate?.met.map(({ condition }) => condition) ?? [];

it.each(hosts)(
  "a delete that an earlier run left is in two forms, and the third says so, of the $name host",
  async (host) => {
    const { projectId } = bench;
    const program = bench.program(host);
    const branchId = bench.branch();
    const is = (type: string) => program.is({ main: { args: { projectId, branchId, type, sizeCu: 1 } } });
    await is("read_only").up();
    const id = program.idOf("main");
    bench.emulator.admin.addFault({ route: "endpoints.delete", effect: { kind: "status", status: 400 } });
    await is("read_write").up({ expectFailure: true });
    bench.emulator.admin.clearFaults();
    const declared = { main: { args: { projectId, branchId, type: "read_write", sizeCu: 1 } } };
    for (const [form, report] of await reviewed(program, declared)) {
      const isShown = form !== "plain";
      expect(
        report.endpoints.map(({ action, id: one }) => [action, one]),
        form,
      ).toEqual(isShown ? [["delete", `${projectId}/${id}`]] : []);
      expect(metBy(report), form).toEqual(expect.arrayContaining(["delete", "downtime"]));
      const sentence = isShown
        ? "1 endpoint changes: 1 deleted (host gone, downtime)"
        : "No endpoint changes in this plan";
      expect(report.summary, form).toBe(sentence);
    }
    await program.is(declared).up();
    expect(bench.on(branchId)).toHaveLength(1);
    for (const [form, { summary }] of await reviewed(program, declared)) {
      expect(summary.startsWith("No endpoint changes in this plan"), form).toBe(form === "plain");
    }
  },
);

it.each(hosts)("a branch that was secret counts as a move in every form, of the $name host", async (host) => {
  const { projectId } = bench;
  const program = bench.program(host);
  const places = (branch: (id: string) => unknown, [one, two, three]: string[]): Declarations => ({
    single: { args: { projectId, branchId: branch(one ?? "") } },
    fleet: { args: { projectId, endpoints: { a: { branchId: branch(two ?? "") } } }, isFleet: true },
    common: {
      args: { projectId, defaults: { branchId: branch(three ?? "") }, endpoints: { b: { sizeCu: 1 } } },
      isFleet: true,
    },
  });
  const next = () => [bench.branch(), bench.branch(), bench.branch()];
  await program.is(places((id) => ({ secret: id }), next())).up();
  for (const [form, report] of await reviewed(
    program,
    places((id) => id, next()),
  )) {
    const moved = report.endpoints.filter((one) => one.moved !== "no").map(({ name }) => name);
    expect(moved.sort(), form).toEqual(["common/b", "fleet/a", "single"]);
    expect(metBy(report), form).toContain("move");
  }
});

it.each(hosts)(
  "up refuses to delete a fleet with a protected member, and the review says it, of the $name host",
  async (host) => {
    const { projectId } = bench;
    const program = bench.program(host);
    const [one, two] = [bench.branch(), bench.branch()];
    const endpoints = { kept: { branchId: one, protect: true }, other: { branchId: two } };
    await program.is({ fleet: { args: { projectId, endpoints }, isFleet: true } }).up();
    for (const [form, report] of await reviewed(program, {})) {
      expect(report.summary, form).toBe(
        "2 endpoints change: 2 deleted (host gone, downtime). Up will refuse this: fleet/kept is protected",
      );
    }
    const refused = await program.is({}).up({ expectFailure: true });
    expect(refused.text).toMatch(/it is protected, and this plan would have it deleted/);
    expect([...bench.on(one), ...bench.on(two)]).toHaveLength(2);
    await program
      .is({ fleet: { args: { projectId, endpoints: { other: { branchId: two } } }, isFleet: true } })
      .preview({
        expectFailure: true,
      });
  },
);
