import { createEmulator } from "../../emulator";
import { openEngine } from "./engine";

/** What the engine printed of a change to a shop's endpoints: for people, in colour, and for `pgcompute review`. */
export interface ReviewScene {
  text: string;
  plan: string;
}

/** Plays the scene on the real engine: a stack with four endpoints, and the preview of a change to all of them. */
export async function playReview(): Promise<ReviewScene> {
  const emulator = await createEmulator({ operationMs: 20 });
  try {
    const { projectId, admin } = emulator;
    const branch = (name: string) => admin.seedBranch(projectId, { id: `br-${name}`, name }).id;
    const [checkout, reports, sessions, search, legacy] = ["checkout", "reports", "sessions", "search", "legacy"].map(
      branch,
    );
    const engine = await openEngine(emulator);
    try {
      engine.declare({
        checkout: { branchId: checkout, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 },
        reports: { branchId: reports, type: "read_only", sizeCu: 1 },
        sessions: { branchId: sessions, sizeCu: 1, suspendTimeoutSeconds: 600 },
        legacy: { branchId: legacy, sizeCu: 0.5 },
      });
      await engine.pulumi("up", "--yes", "--skip-preview", "--non-interactive");
      engine.declare({
        checkout: { branchId: checkout, autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 4 },
        reports: { branchId: reports, sizeCu: 2 },
        sessions: { branchId: sessions, sizeCu: 1, suspendTimeoutSeconds: 120 },
        search: { branchId: search, sizeCu: 3, suspendTimeoutSeconds: -1 },
      });
      return {
        text: await engine.pulumi("preview", "--non-interactive", "--color", "always"),
        plan: await engine.pulumi("preview", "--json"),
      };
    } finally {
      engine.close();
    }
  } finally {
    await emulator.close();
  }
}
