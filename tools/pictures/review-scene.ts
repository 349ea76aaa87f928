import { groupSteps } from "../../cli/review/group";
import { type LiveView, projectsOf, readLive } from "../../cli/review/live/look";
import { readPlan } from "../../cli/review/plan";
import type { Plan } from "../../cli/review/plan-model";
import { createEmulator, type Emulator } from "../../emulator";
import { resolveConfig } from "../../provider/config/resolve";
import { openAccount } from "../../provider/platform/account";
import { createApi } from "../../provider/platform/client";
import { openStack } from "../engine/stack";

/** The engine's plan of a change to a shop's endpoints: as coloured text, and for `pgcompute review`. */
export interface ReviewScene {
  text: string;
  plan: Plan;
  /** The platform's data after two weeks of use. */
  live: LiveView;
}

const HOUR = 3_600_000;

/** Plays the scene on the real engine: a stack with four endpoints, and a preview that changes them all. */
export async function playReview(): Promise<ReviewScene> {
  const emulator = await createEmulator({ operationMs: 20 });
  try {
    const { projectId, admin } = emulator;
    const branch = (name: string) => admin.seedBranch(projectId, { id: `br-${name}`, name }).id;
    const [checkout, reports, sessions, search, legacy] = ["checkout", "reports", "sessions", "search", "legacy"].map(
      branch,
    );
    const engine = await openStack(emulator);
    try {
      engine.declare({
        checkout: { projectId, branchId: checkout, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 },
        reports: { projectId, branchId: reports, type: "read_only", sizeCu: 1 },
        sessions: { projectId, branchId: sessions, sizeCu: 1, suspendTimeoutSeconds: 600 },
        legacy: { projectId, branchId: legacy, sizeCu: 0.5 },
      });
      await engine.pulumi("up", "--yes", "--skip-preview");
      engine.declare({
        checkout: { projectId, branchId: checkout, autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 4 },
        reports: { projectId, branchId: reports, sizeCu: 2 },
        sessions: { projectId, branchId: sessions, sizeCu: 1, suspendTimeoutSeconds: 120 },
        search: { projectId, branchId: search, sizeCu: 3, suspendTimeoutSeconds: -1 },
      });
      const text = await engine.pulumi("preview", "--color", "always");
      const plan = readPlan(Buffer.from(await engine.pulumi("preview", "--json")));
      return { text, plan, live: await liveAfterUse(emulator, plan) };
    } finally {
      engine.close();
    }
  } finally {
    await emulator.close();
  }
}

/**
 * Two weeks in which each endpoint was used from eight to six every day, and the platform's data at half past nine in
 * the evening.
 */
async function liveAfterUse(emulator: Emulator, plan: Plan): Promise<LiveView> {
  const { admin, projectId, url: baseUrl, apiKey } = emulator;
  const begin = Math.ceil(admin.now() / (24 * HOUR)) * 24 * HOUR + 8 * HOUR;
  admin.setClock("manual");
  admin.advance(begin - admin.now());
  const ids = admin.project(projectId).endpoints.map(({ id }) => id);
  for (let day = 0; day < 14; day++) {
    for (const endpointId of ids) admin.connect({ endpointId, connections: 1 });
    admin.advance(10 * HOUR);
    for (const endpointId of ids) admin.disconnect({ endpointId });
    admin.advance((day < 13 ? 14 : 3.5) * HOUR);
  }
  const { settings } = resolveConfig({ baseUrl, apiKey }, {});
  if (!settings) throw new Error("the emulator's address is no address");
  const clock = { now: () => admin.now(), sleep: async () => {} };
  const account = openAccount(createApi({ baseUrl, apiKey, clock }), settings, clock);
  try {
    return await readLive(account, projectsOf(groupSteps(plan.steps).changing), new AbortController().signal);
  } finally {
    await account.api.close();
  }
}
