import { describe, expect, it } from "vitest";
import { adopt } from "../../../provider/endpoint/create";
import { create, read, remove, update } from "../../../provider/pulumi/endpoint/lifecycle";
import { useStack } from "../../engine-model/stack";
import { useEndpoint } from "./support";

/** An endpoint, and a context of a run that is to forget it, by its own id or by its project. */
async function useForgotten(by: "its id" | "its project") {
  const one = await useEndpoint();
  const { bench, stored, inputs } = one;
  const reports: string[] = [];
  const forget = [by === "its id" ? stored.id : inputs.projectId];
  const { reporter } = one.context;
  const context = {
    ...bench.context({ account: bench.account({}, { forget }) }),
    reporter: { ...reporter, warn: (text: string) => void reports.push(text) },
  };
  return { ...one, context, reports };
}

describe.each(["its id", "its project"] as const)("an endpoint that a run is to forget, named by %s,", (by) => {
  it("is not deleted, and no request is sent", async () => {
    const { bench, context, stored, reports, live, emulator } = await useForgotten(by);
    emulator.admin.clearLog();
    await bench.run(remove(context, stored));

    expect(live()).toBeDefined();
    expect(emulator.admin.log()).toEqual([]);
    expect(reports).toEqual([expect.stringMatching(/^endpoint \S+ is left where it is, and nothing was sent/)]);
  });

  it("is neither changed nor taken over", async () => {
    const { bench, context, stored, inputs, changes, emulator, endpointId } = await useForgotten(by);
    const record = await bench.run(context.account.api.getEndpoint(inputs.projectId, endpointId));
    emulator.admin.clearLog();
    const change = { ...stored, inputs: { ...inputs, sizeCu: 2 } };

    const refused = [update(context, change), adopt(context, { record, inputs, adopted: true })];
    for (const error of await Promise.all(refused.map((one) => bench.fails(one)))) {
      expect(error).toMatchObject({ kind: "refused" });
      expect(error.message).toContain(`PGCOMPUTE_FORGET says that this run leaves endpoint ${stored.id} alone`);
    }
    expect(changes()).toEqual([]);
  });
});

it("nothing is created in a project that a run is to forget", async () => {
  const { bench, context, inputs, changes } = await useForgotten("its project");
  const error = await bench.fails(create(context, { ...inputs, branchId: bench.branch() }));

  expect(error.message).toContain(`this run leaves project ${inputs.projectId} alone`);
  expect(changes()).toEqual([]);
});

it("an endpoint of another project or another id is deleted as ever", async () => {
  const { bench, context: own, stored, inputs } = await useForgotten("its id");
  const forget = ["another-project-1", `${inputs.projectId}/ep-another-1`, `${inputs.projectId}-1`];
  const context = { ...own, account: bench.account({}, { forget }) };
  await bench.run(remove(context, stored));

  expect(bench.on(inputs.branchId)).toEqual([]);
});

it("a refresh gives back what it is to forget as it was, though its project is gone", async () => {
  const { bench, context, stored, inputs, emulator } = await useForgotten("its project");
  emulator.admin.clearLog();
  const found = await bench.run(read(context, { ...stored, oldInputs: { ...inputs } }));

  expect(found).toEqual({ state: stored.state, inputs });
  expect(emulator.admin.log()).toEqual([]);
});

it("a fleet lets go of members whose project is gone, and of nothing else", async () => {
  const { bench, stack, admin, program } = await useStack();
  const lost = admin.seedProject().project.id;
  const member = { projectId: lost, branchId: admin.seedBranch(lost).id };
  const stays = { branchId: bench.branch() };
  await stack.up(program({ stays, a: member }));
  admin.deleteProject(lost);
  // The project answers until the platform has done it.
  await bench.run(bench.clock.sleep(10_000));
  const settings = { forget: [lost] };
  const others = program({ stays }, { maxDeletions: 9 });

  expect((await stack.up(others)).error?.message).toContain(lost);
  expect((await stack.refresh({ settings })).error).toBeUndefined();
  const run = await stack.up(others, { settings });
  expect(run.error).toBeUndefined();
  expect(Object.keys(stack.endpoints())).toEqual(["stays"]);
  expect(run.said.join("\n")).toMatch(new RegExp(`endpoint ${lost}/ep-\\S+ is left where it is`));
  expect((await stack.up(others)).isChanged).toBe(false);
});
