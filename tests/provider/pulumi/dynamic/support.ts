import { onTestFinished } from "vitest";
import { createEmulator } from "../../../../emulator";
import { type DynamicSession, openSession } from "../../../../provider/pulumi/dynamic/provider";

/** An emulator, and providers of the dynamic host for it, each as a run of its own has it. */
export async function useDynamicHost() {
  const emulator = await createEmulator({ operationMs: 0 });
  onTestFinished(() => emulator.close());
  const rawConfig = { "pgcompute:baseUrl": emulator.url, "pgcompute:apiKey": emulator.apiKey };
  const { projectId, admin } = emulator;
  return {
    ...{ projectId, admin },
    /** What a program says of an endpoint on a branch of its own. */
    place: () => ({ projectId, branchId: admin.seedBranch(projectId).id, type: "read_write" }),
    begin<P extends Pick<DynamicSession, "configure">>(open: (session: DynamicSession) => P): P {
      const provider = open(openSession(undefined, {}));
      provider.configure({ config: { get: () => undefined, rawConfig } });
      return provider;
    },
  };
}
