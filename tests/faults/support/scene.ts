/** The stage of a cell, and what is compared at its end. */
import type { EndpointState } from "../../../emulator";
import { type Options, type Program, type Run, Stack } from "../../engine-model/stack";
import type { Bench } from "../../support/bench";

/** What the platform has where a program is silent; a size has no default, and stays. */
const defaults: Readonly<Record<string, unknown>> = {
  type: "read_write",
  suspendTimeoutSeconds: 0,
  poolerEnabled: false,
};

/** One cell's little world: two branches without endpoints, two with a stranger's, and a state file. */
export type Scene = ReturnType<typeof setScene>;

/** Sets the scene anew on a bench, on a platform that keeps names or not; nothing of the cell before it is left. */
export function setScene(bench: Bench, keepsNames = true) {
  const { emulator } = bench;
  emulator.reset();
  emulator.admin.configure({ endpointNames: keepsNames });
  const strangers = ["ep-stranger-home", "ep-stranger-occupied"];
  const inhabited = (id: string | undefined) => {
    const branchId = bench.branch();
    emulator.admin.seedEndpoint(emulator.projectId, { branch_id: branchId, ...(id ? { id } : {}) });
    return branchId;
  };
  // One for replicas, and one for what is taken over or stands in the way.
  const [home, occupied] = [inhabited(strangers[0]), inhabited(strangers[1])];
  return {
    bench,
    stack: new Stack(bench, { goesOn: true }),
    a: bench.branch(),
    b: bench.branch(),
    home,
    occupied,
    strangers,
  };
}

/** Runs a program without faults. */
export async function settleIn({ bench, stack }: Scene, program: Program, options: Options = {}): Promise<void> {
  const account = bench.account();
  await stack.up(program, { account, ...options });
  await account.api.close();
}

/** The endpoints that are neither seeded nor a stranger's. */
export function ownEndpoints({ bench, strangers }: Scene): EndpointState[] {
  const { admin, projectId, endpointId } = bench.emulator;
  return admin.project(projectId).endpoints.filter(({ id }) => id !== endpointId && !strangers.includes(id));
}

/** Endpoints that neither the state nor a message of the run knows by id. */
export function unknownEndpoints(scene: Scene, run: Pick<Run, "messages" | "said">): EndpointState[] {
  const told = [...run.messages, ...run.said].join("\n");
  const known = scene.stack.known().join("\n");
  return ownEndpoints(scene).filter(({ id }) => !known.includes(id) && !told.includes(id));
}

/** Where the platform and the state differ from the program; empty when everything is as it says. */
export function deviations(scene: Scene, program: Program): string[] {
  const { stack, bench } = scene;
  const found: string[] = [];
  const ids = new Set<string>();
  for (const [name, { args: wanted }] of Object.entries(program)) {
    const stored = stack.engine.state.get(name);
    if (!stored) {
      found.push(`${name} is not in the state`);
      continue;
    }
    const endpointId = stored.id.split("/")[1] ?? "";
    ids.add(endpointId);
    const { endpoints } = bench.emulator.admin.project(bench.emulator.projectId);
    const record = endpoints.find(({ id }) => id === endpointId);
    if (!record) {
      found.push(`${name}: ${endpointId} does not exist`);
      continue;
    }
    const real = {
      branchId: record.branch_id,
      type: record.type,
      sizeCu: record.autoscaling_limit_min_cu,
      suspendTimeoutSeconds: record.suspend_timeout_seconds,
      poolerEnabled: record.pooler_enabled,
    };
    for (const [property, value] of Object.entries(real)) {
      const expected = wanted[property] ?? defaults[property] ?? value;
      if (expected !== value) found.push(`${name}.${property} is ${value}, not ${String(expected)}`);
    }
    if (record.restart_due) found.push(`${name} runs on as it was before a change`);
    if (stored.unfinished) found.push(`${name} is unfinished`);
    if (record.pending_state !== undefined) found.push(`${name} is still on its way to ${record.pending_state}`);
  }
  for (const { id } of ownEndpoints(scene)) if (!ids.has(id)) found.push(`${id} is in no program`);
  for (const name of stack.engine.state.keys())
    if (!Object.hasOwn(program, name)) found.push(`${name} is still stored`);
  return found;
}
