import { describe, expect, it } from "vitest";
import { pluginHost as host, hosts } from "../support/hosts";
import { useBench } from "../support/platform";

const bench = useBench();

function programOf(many: number) {
  const branches = Array.from({ length: many }, () => bench.branch());
  const endpoints = Object.fromEntries(branches.map((branchId, at) => [`pr-${at}`, { branchId }]));
  const own = new Set<unknown>(branches);
  const made = () => {
    const { endpoints: all } = bench.emulator.admin.project(bench.projectId);
    return all.filter(({ branch_id }) => own.has(branch_id)).length;
  };
  return { args: { projectId: bench.projectId, endpoints }, made };
}

it("a fleet keeps a secret of its defaults out of its rows and the state", async () => {
  const { args } = programOf(3);
  const program = await bench.program(host);
  const defaults = { pgSettings: { "app.password": { secret: "hunter2-hunter2" } } };
  const sealed = program.is({ previews: { isFleet: true, args: { ...args, defaults } } });
  expect((await sealed.up()).text).not.toContain("hunter2");
  expect(program.project.stateText()).not.toContain("hunter2");
  await sealed.refresh();
  expect(program.project.stateText()).not.toContain("hunter2");
  expect((await sealed.up()).changes).toMatchObject({ same: 1 });
});

// Read of the dynamic host is shown the state alone.
describe.each(hosts)("a fleet of the $name host", (host) => {
  it("is refreshed after a growth that failed half-way, by itself or before an up", async () => {
    const { admin } = bench.emulator;
    const { args, made } = programOf(7);
    const program = await bench.program(host);
    const grown = (many: number) => {
      const endpoints = Object.fromEntries(Object.entries(args.endpoints).slice(0, many));
      return program.is({ previews: { isFleet: true, args: { ...args, endpoints } } });
    };
    const growHalfWay = async (many: number) => {
      const fault = admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "status", status: 400 } });
      expect((await grown(many).up({ expectFailure: true })).text).toMatch(/1 of \d members failed/);
      admin.removeFault(fault);
    };
    await grown(1).up();
    await growHalfWay(4);
    const refreshed = await grown(4).refresh();
    expect(refreshed.diagnostics).toEqual([]);
    expect(made()).toBe(3);
    await growHalfWay(7);
    expect(made()).toBe(6);
    await grown(7).up({ args: ["--refresh"] });
    expect(made()).toBe(7);
    expect((await grown(7).up({ args: ["--refresh"] })).changes).toMatchObject({ update: 0, same: 1 });
  });
});
