import { expect, it } from "vitest";
import { check, diff, read } from "../../../provider/pulumi/lifecycle";
import { useCheck } from "./support";

it("an import sets nothing that the program does not say, then, in the next run and after somebody's change", async () => {
  const { run, context, inputs, emulator } = await useCheck();
  const { admin, projectId } = emulator;
  const endpoint = admin.seedEndpoint(projectId, {
    branch_id: inputs.branchId,
    suspend_timeout_seconds: -1,
    pooler_enabled: true,
  });
  const id = `${projectId}/${endpoint.id}`;
  admin.changeEndpoint(endpoint.id, { settings: { pg_settings: { work_mem: "8MB" } } });
  // A first trigger is what the program says from now on, and restarts nothing.
  const news = { ...inputs, restartTrigger: "first" };
  type Known = { inputs: Record<string, unknown>; state: Record<string, unknown> };
  const planned = async (olds: Known) => {
    context.run.clear();
    const checked = await run(check(context, { olds: olds.inputs, news }));
    const { changes } = await run(
      diff(context, { id, state: olds.state, inputs: checked.inputs, oldInputs: olds.inputs }),
    );
    expect({ failures: checked.failures, changes }).toEqual({ failures: [], changes: false });
    return { inputs: checked.inputs, state: olds.state };
  };
  const imported = await run(read(context, { id }));
  if (!imported) throw new Error("nothing to import");
  const next = await planned(await planned(imported));
  admin.changeEndpoint(endpoint.id, { suspend_timeout_seconds: 900, pooler_mode: "session" });
  await run(context.account.project(projectId).cache.confirm(endpoint.id));
  const refreshed = await run(read(context, { id, state: next.state, oldInputs: next.inputs }));
  if (!refreshed) throw new Error("nothing to refresh");
  expect(refreshed.state).toMatchObject({ suspendTimeoutSeconds: 900 });
  await planned(refreshed);
});
