import { expect, it } from "vitest";
import { dynamicHost as host } from "../support/hosts";
import { changesCalled, opsOf } from "../support/look";
import { useBench } from "../support/platform";

// Specification, sections 4.3, 4.6 and 6.

const bench = useBench();
const HOUR_MS = 3_600_000;

// This host gets timeouts in hidden inputs; for the plugin, see tests/provider/pulumi/plugin/partial.test.ts.
it("what takes too long by the dynamic host is kept, and the next up waits on instead of creating again: a create, an update and a delete, each by its own bound", async () => {
  const { projectId } = bench;
  const { admin } = bench.emulator;
  const branches = { made: bench.branch(), sized: bench.branch(), gone: bench.branch() };
  const { is, idOf, names } = bench.program(host);
  // They run on, however far the clock is put.
  const place = (name: keyof typeof branches) => ({
    ...{ projectId, branchId: branches[name] },
    suspendTimeoutSeconds: -1,
  });
  const bounded = (sizeCu: number, goneWithin: string) =>
    is({
      made: { args: place("made"), options: { customTimeouts: { create: "1s", update: "1s" } } },
      sized: { args: { ...place("sized"), sizeCu }, options: { customTimeouts: { update: "1s" } } },
      gone: { args: place("gone"), options: { customTimeouts: { delete: goneWithin } } },
    });
  const hang = (name: keyof typeof branches, action: string) =>
    admin.addFault({
      ...{ on: "operation", branchId: branches[name], action, count: 1 },
      effect: { kind: "slow", operationMs: HOUR_MS },
    });
  const goOn = { args: ["--continue-on-error"], expectFailure: true };

  const first = bounded(1, "20m");
  hang("made", "start_compute");
  admin.clearLog();
  const failed = await first.up(goOn);
  const id = idOf("made");
  const operation = admin.project(projectId).operations.find((one) => one.branch_id === branches.made);
  expect(failed.failure).toContain(
    `endpoint ${projectId}/${id}: operation ${operation?.id} (start_compute) was still "scheduling" after 1 s`,
  );
  // A refresh in between must not make the open operation forgotten.
  await first.refresh();
  const planned = await first.preview();
  expect(planned.changes).toMatchObject({ update: 1, same: 2 });
  expect(planned.text).toContain('the last run left start_compute "scheduling": this operation is checked again');
  admin.advance(HOUR_MS);

  hang("sized", "apply_config");
  const sizing = await bounded(2, "20m").up(goOn);
  expect(sizing.failure).toMatch(/\(apply_config\) was still "scheduling" after 1 s\. Run `pulumi up` again/);
  expect(opsOf(sizing, "made")).toEqual(["update"]);
  expect(bench.on(branches.made)).toMatchObject([{ id, current_state: "active" }]);
  expect(changesCalled(bench).sort()).toEqual(["PATCH endpoints.update", ...Array(3).fill("POST endpoints.create")]);
  admin.advance(HOUR_MS);

  admin.clearLog();
  // A delete is bounded by the timeout that the program had last, though nothing else has changed.
  const last = bounded(2, "2s");
  expect(opsOf(await last.up(), "sized")).toEqual(["update"]);
  expect(changesCalled(bench)).toEqual([]);
  expect(bench.on(branches.sized)).toMatchObject([{ autoscaling_limit_min_cu: 2, current_state: "active" }]);
  hang("gone", "suspend_compute");
  expect((await last.destroy(goOn)).failure).toMatch(/\(suspend_compute\) was still "scheduling" after 2 s/);
  expect(names()).toEqual(["gone"]);
  admin.advance(HOUR_MS);
  await last.destroy();
  expect(names()).toEqual([]);
});
