/** Tests endpoints that are deleted, undeletable, or moved by a restore: refused, with the commands to go on. */
import { expect, it, vi } from "vitest";
import { dynamicHost, pluginHost } from "../support/hosts";
import { opsOf, said } from "../support/look";
import { useBench } from "../support/platform";
import { processOf } from "../support/processes";
import { failed, waysOn } from "./ways";

const bench = useBench();
const { idsOn, open, single } = waysOn(bench);

it.each([pluginHost, dynamicHost])(
  "what is gone is created again, and what depends on it stays, on the host $name",
  async (host) => {
    const [first = "", second = ""] = bench.branches(2);
    const { projectId } = bench;
    const { is, idOf } = bench.program(host);
    const stack = is({
      main: { args: { projectId, branchId: first } },
      after: { args: { projectId, branchId: second, restartTrigger: `\${main.host}` } },
    });
    await stack.up();
    const [gone, kept] = ["main", "after"].map(idOf);
    bench.emulator.admin.dropEndpoint(gone ?? "");

    for (const run of [await stack.preview(), await stack.up()]) {
      expect([opsOf(run, "main").includes("replace"), opsOf(run, "after")]).toEqual([true, ["update"]]);
      expect(said(run, "main")).toContain(`${gone} is gone`);
    }
    expect(idsOn(first)).toEqual([idOf("main")]);
    expect([idOf("main") === gone, idOf("after")]).toEqual([false, kept]);
    expect((await stack.preview()).changes).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0 });
  },
);

it("what is gone and protected is created again after a refresh", async () => {
  const { is, branchId, does, onlyId, expectSame, names } = open();
  const { main } = single(branchId);
  const declared = { main: { args: {}, ...main, options: { protect: true } } };
  await is(declared).up();
  bench.emulator.admin.dropEndpoint(onlyId());
  const message = said(await is(declared).preview(failed), "main");
  expect(message).toMatch(/unable to replace resource.*protect/s);
  await does(message, "pulumi refresh");
  expect(names()).toEqual([]);
  await does(message, "pulumi up");
  onlyId();
  await expectSame(declared);
});

it("what is gone and was imported is created again once the program no longer imports it", async () => {
  const { is, branchId, onlyId, expectSame } = open();
  const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
  const { main } = single(branchId);
  const declared = { main: { args: {}, ...main, options: { import: `${bench.projectId}/${id}` } } };
  await is(declared).up();
  bench.emulator.admin.dropEndpoint(onlyId());
  // The engine warns in a preview, and refuses in `up`.
  const runs = [await is(declared).preview(), await is(declared).up(failed)];
  for (const run of runs) {
    expect(said(run, "main")).toMatch(
      /has the option `import`, take that out.*please remove the `import` declaration/s,
    );
  }
  await is(single(branchId)).up();
  expect(onlyId()).not.toBe(id);
  await expectSame(single(branchId));
});

it("what an interrupted destroy has deleted is named by it, and created again by the next up", async () => {
  const { projectId, emulator } = bench;
  const branches = bench.branches(2);
  const { is, idOf, project } = bench.program(pluginHost);
  const [alone, member] = branches.map((branchId) => ({ projectId, branchId }));
  const stack = is({
    main: { args: { ...alone } },
    f: { args: { projectId, endpoints: { a: { ...member } } }, isFleet: true },
  });
  await stack.up();
  const ids = [idOf("main"), bench.on(branches[1] ?? "")[0]?.id];
  emulator.admin.addFault({ on: "operation", effect: { kind: "slow", operationMs: 15_000 } });
  emulator.admin.clearLog();

  const destroy = stack.destroy({ args: ["--parallel", "8"], ...failed });
  const accepted = () => emulator.admin.log().filter(({ method, status }) => method === "DELETE" && status === 200);
  const isAccepted = () => expect(accepted()).toHaveLength(2);
  await vi.waitFor(isAccepted, { timeout: 60_000, interval: 10 });
  process.kill(processOf(project, "engine").pid, "SIGINT");
  const text = said(await destroy);
  for (const id of ids) expect(text).toMatch(new RegExp(`has accepted the delete of (endpoint )?${projectId}/${id},`));
  expect(text).not.toContain("still there");

  emulator.admin.clearFaults();
  await vi.waitFor(() => expect(branches.flatMap(idsOn)).toEqual([]), { timeout: 60_000 });
  const preview = await stack.preview();
  expect(opsOf(preview, "main")).toContain("replace");
  expect(said(preview, "f")).toContain("a: the endpoint is gone");
  await stack.up();
  expect(branches.map((branch) => idsOn(branch).length)).toEqual([1, 1]);
  expect((await stack.preview()).changes).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0 });
});

it("a root branch's endpoint stays", async () => {
  const { is, does, names } = open();
  const seeded = bench.emulator.admin.seedProject({ endpoint: false });
  const stack = is({ main: { args: { projectId: seeded.project.id, branchId: seeded.branches[0]?.id } } });
  await stack.up();
  const message = said(await stack.destroy(failed));
  is({});
  await does(message, "PGCOMPUTE_FORGET");
  expect(names()).toEqual([]);
});

it("an endpoint goes back to the data of before a restore", async () => {
  const { is, branchId, does, refused, onlyId, expectSame } = open();
  const declared = single(branchId);
  await is(declared).up();
  const id = onlyId();
  const { id: restored } = await restoreInPlace(branchId);
  await is(declared).refresh();
  expect(idsOn(restored)).toEqual([id]);
  await does(await refused(declared), "PGCOMPUTE_UNDO_RESTORE");
  expect(onlyId()).toBe(id);
  await expectSame(declared);
});

/** Restores a snapshot of a branch in its place; gives the branch that has it now. */
async function restoreInPlace(branchId: string): Promise<{ id: string }> {
  const { apiKey, url } = bench.emulator;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const call = async (path: string, body: object = {}) => {
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${url}/projects/${bench.projectId}/${path}`, init);
    const isOpen = () =>
      bench.emulator.admin.project(bench.projectId).operations.some(({ status }) => status !== "finished");
    await vi.waitUntil(() => !isOpen(), { timeout: 30_000 });
    return JSON.parse(await answer.text());
  };
  const { snapshot } = await call(`branches/${branchId}/snapshot`);
  return (await call(`snapshots/${snapshot.id}/restore`, { finalize_restore: true })).branch;
}
