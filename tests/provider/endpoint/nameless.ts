/** Creates whose answers are lost on a platform that keeps no names. */
import { expect } from "vitest";
import type { Fault } from "../../../emulator";
import { useBench } from "../../support/bench";
import type { EnginePart, Program } from "../../support/engine-part";

type Bench = Awaited<ReturnType<typeof useBench>>;

/** The create is made, and its answer lost. */
export const lostAfter: Fault = { route: "endpoints.create", effect: { kind: "reset", when: "after" } };
/** The create is lost before it is made. */
export const lostBefore: Fault = { route: "endpoints.create", effect: { kind: "reset", when: "before" } };

/** A platform that keeps no names, a branch of it, and a state file. */
export async function useNameless(options: Parameters<typeof useBench>[0] = {}) {
  const bench = await useBench({ endpointNames: false, ...options });
  const { emulator } = bench;
  const branchId = bench.branch();
  const base = { projectId: emulator.projectId, branchId };
  const replica = (inputs: object = {}) => ({ ...base, type: "read_only", ...inputs });
  return {
    bench,
    emulator,
    branchId,
    replica,
    primary: (inputs: object = {}) => ({ ...base, ...inputs }),
    ids: () => bench.on(branchId).map(({ id }) => `${emulator.projectId}/${id}`),
    /** What somebody else creates on the branch, right now. */
    stranger: (fields: object = {}) =>
      emulator.admin.seedEndpoint(emulator.projectId, { branch_id: branchId, type: "read_only", ...fields }).id,
  };
}

/** An account that does something when a create has gone through, or has been lost. */
export function accountThat(bench: Bench, onCreate: () => void) {
  return bench.account({ onRequest: ({ method, path }) => method === "POST" && /endpoints$/.test(path) && onCreate() });
}

/** What is owned by the state, each once, and the next run has nothing to do. */
export async function expectSettled(bench: Bench, stack: EnginePart, program: Program, ids: readonly string[]) {
  expect(stack.ids().sort()).toEqual([...ids].sort());
  const { changes, errors } = await bench.run(stack.preview(bench.account(), program));
  expect(errors).toEqual([]);
  expect(changes).toEqual({ same: Object.keys(program).length });
}
