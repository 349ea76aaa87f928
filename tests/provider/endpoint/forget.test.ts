import { describe, expect, it } from "vitest";
import { useMade, useStack } from "../../engine-model/stack";

/** An endpoint, and the settings of a run that is to forget it, by its own id or by its project. */
async function useForgotten(by: "its id" | "its project") {
  const used = await useMade();
  const { projectId, id } = used;
  return { ...used, settings: { forget: [by === "its id" ? `${projectId}/${id}` : projectId] } };
}

describe.each(["its id", "its project"] as const)("an endpoint that a run is to forget, named by %s,", (by) => {
  it("is not deleted, and no request is sent", async () => {
    const { stack, admin, id, settings } = await useForgotten(by);
    const { messages, said } = await stack.destroy({ settings });

    expect(messages).toEqual([]);
    expect(admin.endpoint(id)).toBeDefined();
    expect(admin.log()).toEqual([]);
    expect(said).toEqual([expect.stringMatching(/^warn main: endpoint \S+ is left where it is, and nothing was sent/)]);
  });

  it("is neither changed nor taken over", async () => {
    const { stack, admin, projectId, main, id, settings, sent } = await useForgotten(by);
    const changed = await stack.up(main({ sizeCu: 2 }), { settings });
    stack.engine.state.clear();
    admin.changeEndpoint(id, { name: "" });
    const takenOver = await stack.up(main({ adoptExisting: true }), { settings });

    // Of a project that is to be forgotten nothing is read, so no endpoint is found there.
    const [endpoint, project] = [`endpoint ${projectId}/${id}`, `project ${projectId}`];
    expect(changed.error?.message).toContain(`this run leaves ${endpoint} alone`);
    expect(takenOver.error?.message).toContain(`this run leaves ${by === "its id" ? endpoint : project} alone`);
    expect(sent()).toEqual([]);
  });
});

it("a member that a run is to forget is not changed", async () => {
  const { stack, admin, projectId, branch, program } = await useStack();
  const a = { branchId: branch() };
  await stack.up(program({ a }));
  admin.clearLog();
  const id = `${projectId}/${stack.endpoints().a?.endpointId}`;
  const { said } = await stack.up(program({ a: { ...a, sizeCu: 2 } }), { settings: { forget: [id] } });

  expect(said.join()).toContain(`this run leaves endpoint ${id} alone`);
  expect(admin.log({ method: "PATCH" })).toEqual([]);
});

it("nothing is created in a project that a run is to forget", async () => {
  const { stack, projectId, single, branch, main, settings, sent } = await useForgotten("its project");
  const { messages } = await stack.up({ ...main(), other: single(branch()) }, { settings });

  expect(messages).toEqual([expect.stringContaining(`this run leaves project ${projectId} alone`)]);
  expect(sent()).toEqual([]);
});

it("an endpoint of another project or another id is deleted as ever", async () => {
  const { stack, projectId, branchId, idsOn, id } = await useForgotten("its id");
  const others = [`${projectId}/ep-another-1`, `${projectId}-1`, `${projectId}/${id.slice(0, -1)}`];
  const forget = ["another-project-1", ...others];
  await stack.destroy({ settings: { forget } });

  expect(idsOn(branchId)).toEqual([]);
});

it("a refresh gives back what it is to forget as it was, though its project is gone", async () => {
  const { bench, stack, admin, projectId, stored, settings } = await useForgotten("its project");
  const { inputs, state } = stored() ?? {};
  admin.deleteProject(projectId);
  // The project answers until the platform has done it.
  await bench.clock.pass(10_000);

  expect((await stack.refresh()).messages).toEqual([expect.stringContaining(projectId)]);
  expect((await stack.refresh({ settings })).messages).toEqual([]);
  expect(stored()).toMatchObject({ inputs, state });
});

it("a fleet lets go of members whose project is gone, and of nothing else", async () => {
  const { bench, stack, admin, program } = await useStack();
  const lost = admin.seedProject().project.id;
  const member = { projectId: lost, branchId: admin.seedBranch(lost).id };
  const stays = { branchId: bench.branch() };
  await stack.up(program({ stays, a: member }));
  admin.deleteProject(lost);
  await bench.clock.pass(10_000);
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
