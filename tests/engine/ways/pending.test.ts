/**
 * Tests deletes that the platform refuses and that stay pending: done later, or given up by the way of the message.
 */
import { afterEach, expect, it } from "vitest";
import { type Declarations, dynamicHost, type HostDriver, pluginHost } from "../support/hosts";
import { said } from "../support/look";
import { useBench } from "../support/platform";
import { failed, type LettingGo, waysOn } from "./ways";

const bench = useBench();
const { byVariable, entries, expectSettled, idsOn } = waysOn(bench);
afterEach(() => bench.emulator.admin.clearFaults());

it.each<[string, HostDriver, status: number, LettingGo | undefined]>([
  ["left alone by PGCOMPUTE_FORGET", pluginHost, 422, byVariable],
  ["left alone by PGCOMPUTE_FORGET in the dynamic host", dynamicHost, 403, byVariable],
  ["done once the platform lets it", dynamicHost, 422, undefined],
])("a delete that is refused is pending, and stays until it is %s", async (_, host, status, way) => {
  const program = bench.program(host);
  const branchId = bench.branch();
  const typed = (type: string): Declarations => ({ main: { args: { projectId: bench.projectId, branchId, type } } });
  await program.is(typed("read_write")).up();
  const old = program.idOf("main");
  const fault = bench.emulator.admin.addFault({ route: "endpoints.delete", effect: { kind: "status", status } });
  const next = typed("read_only");
  const first = said(await program.is(next).up(failed));
  expect(entries(program)).toBe(2);
  // `retainOnDelete` that is given now does not reach it.
  const kept: Declarations = { main: { args: next.main?.args ?? {}, options: { retainOnDelete: true } } };
  const message = said(await program.is(kept).up(failed));
  for (const text of [first, message]) expect(text).toMatch(/^ +PGCOMPUTE_FORGET=\S+ pulumi up$/m);

  const run = await way?.(program, next, message);
  if (run) expect(said(run)).toContain(`/${old} is left where it is`);
  bench.emulator.admin.removeFault(fault);
  if (!way) await program.is(next).up();
  expect(idsOn(branchId).includes(old)).toBe(way !== undefined);
  await expectSettled(program, next);
});
