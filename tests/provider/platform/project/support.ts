import type { EmulatorOptions } from "../../../../emulator";
import type { OperationRecord } from "../../../../provider/platform/records";
import { decode, operationAnswer } from "../../../../provider/platform/wire/answers";
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
        const operation = emulator.admin.startOperation({ projectId: emulator.projectId, action });
        const read = decode(operationAnswer, { operation });
        if (!read.ok) throw new Error(read.reason);
        return read.value;
      }),
  };
}
