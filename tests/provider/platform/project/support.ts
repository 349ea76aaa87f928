import type { EmulatorOptions } from "../../../../emulator";
import type { OperationRecord } from "../../../../provider/platform/records";
import { useBench } from "../../../support/bench";

/** A bench with the waiter of its project, and operations to wait for. */
export async function useWatcher(options: EmulatorOptions = {}) {
  const bench = await useBench(options);
  const { emulator } = bench;
  const { waiter } = bench.account().project(emulator.projectId);
  return {
    ...bench,
    waiter,
    routes: () => emulator.admin.counts().byRoute,
    /** Operations that have just begun, as an answer gives them. */
    started: (count: number, action = "check_availability"): OperationRecord[] =>
      Array.from({ length: count }, () => {
        const one = emulator.admin.startOperation({ projectId: emulator.projectId, action });
        return {
          id: one.id,
          projectId: one.project_id,
          branchId: one.branch_id,
          action: one.action,
          status: one.status,
          failuresCount: one.failures_count,
          createdAt: one.created_at,
          updatedAt: one.updated_at,
        };
      }),
  };
}
