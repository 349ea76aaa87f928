import type { EndpointState } from "../../emulator";
import type { Run } from "../../tests/engine/support/run";
import { BrokenPromise, type Play } from "./play";
import { duringSession } from "./session";

/** A step of the demo: its title, and a run with promises. */
export interface Step {
  title: string;
  run(play: Play): Promise<void>;
}

/** The life of the example's two endpoints, from the first preview to the last delete. */
export const steps: readonly Step[] = [
  {
    title: "Preview: what the program would create",
    async run(play) {
      play.expectChanges("two endpoints are to be created", await play.run("preview"), { create: 2 });
      play.expect("nothing was changed on the platform", [play.changingCalls(), play.endpoints()], [[], []]);
    },
  },
  {
    title: "Up: both endpoints are created and started",
    async run(play) {
      play.expectChanges("two endpoints were created", await play.run("up"), { create: 2 });
      play.expect("the platform has both, running", play.endpoints().map(figures), [
        { type: "read_write", state: "active", minCu: 0.5, maxCu: 2, suspendSeconds: 0 },
        { type: "read_only", state: "active", minCu: 0.5, maxCu: 0.5, suspendSeconds: 0 },
      ]);
      await expectHosts(play);
    },
  },
  {
    title: "Up again: nothing to do",
    async run(play) {
      play.expectChanges("both endpoints are unchanged", await play.run("up"), { same: 2 });
      play.expect("nothing was sent to the platform but questions", play.changingCalls(), []);
    },
  },
  {
    title: "Another autosuspend (600 s): nothing restarts",
    async run(play) {
      await play.stage.configure({ suspendTimeoutSeconds: "600" });
      const preview = await play.run("preview");
      play.expectChanges("two endpoints are to be updated in place", preview, { update: 2 });
      for (const name of ["primary", "replica"]) {
        play.expect(`the reviewer reads that ${name} does not restart`, /no restart/.test(said(preview, name)), true);
      }
      const endpointId = play.endpoints()[0]?.id ?? "";
      await duringSession(play, { endpointId, promise: "the session is still open", expected: "open" }, async () => {
        play.expectChanges("two endpoints were updated", await play.run("up"), { update: 2 });
      });
    },
  },
  {
    title: "Preview of another size (1 to 4 CU)",
    async run(play) {
      await play.stage.configure({ minCu: "1", maxCu: "4" });
      const run = await play.run("preview");
      play.expectChanges("one endpoint is to be updated in place", run, { update: 1, same: 1 });
      const primary = said(run, "primary");
      play.expect("the reviewer reads that primary restarts", /restarts the endpoint/.test(primary), true);
      play.expect("... and that open connections are dropped", /connections are dropped/.test(primary), true);
      play.expect("... and that it takes more of them", /max_connections 225 -> 450/.test(primary), true);
    },
  },
  {
    title: "Up: the change is made, with a restart",
    async run(play) {
      const before = hostsOf(play);
      const endpointId = play.endpoints()[0]?.id ?? "";
      await duringSession(play, { endpointId, promise: "the session is gone", expected: "gone" }, async () => {
        play.expectChanges("one endpoint was updated", await play.run("up"), { update: 1, same: 1 });
      });
      play.expect("the platform has the new figures", play.endpoints().map(figures), changed);
      play.expect("host names stayed", hostsOf(play), before);
      await expectHosts(play);
    },
  },
  {
    title: "Refresh: somebody else has set primary's largest size to 7 CU",
    async run(play) {
      const [primary] = play.endpoints();
      play.stage.emulator.admin.changeEndpoint(primary?.id ?? "", { autoscaling_limit_max_cu: 7 });
      play.expectChanges("the drift of one endpoint was found", await play.run("refresh"), { update: 1, same: 1 });
      play.expect("a refresh changes nothing on the platform", play.changingCalls(), []);
    },
  },
  {
    title: "Preview and up: the drift is shown and mended",
    async run(play) {
      const preview = await play.run("preview");
      play.expectChanges("one endpoint is to be updated", preview, { update: 1, same: 1 });
      play.expect("the engine shows the drift", /autoscalingLimitMaxCu: 7 => 4/.test(preview.stdout), true);
      play.expectChanges("one endpoint was updated", await play.run("up"), { update: 1, same: 1 });
      play.expect("the platform is again as the program says", play.endpoints().map(figures), changed);
    },
  },
  {
    title: "Destroy: nothing is left",
    async run(play) {
      const { emulator, stack } = play.stage;
      play.expectChanges("two endpoints were deleted", await play.run("destroy"), { delete: 2 });
      play.expect("the branch has no endpoint", play.endpoints(), []);
      const left = emulator.admin.project(emulator.projectId).endpoints.map(({ id }) => id);
      play.expect("the project has the one it was born with, and no other", left, [emulator.endpointId]);
      const { deployment } = await stack.exportStack();
      play.expect("the stack's state is empty", deployment.resources ?? [], []);
    },
  },
];

const changed = [
  { type: "read_write", state: "active", minCu: 1, maxCu: 4, suspendSeconds: 600 },
  { type: "read_only", state: "active", minCu: 0.5, maxCu: 0.5, suspendSeconds: 600 },
];

/** The run's messages on a resource. */
function said({ diagnostics }: Run, name: string): string {
  return diagnostics
    .filter((one) => one.name === name)
    .map(({ message }) => message)
    .join("; ");
}

function figures(endpoint: EndpointState) {
  return {
    type: endpoint.type,
    state: endpoint.current_state,
    minCu: endpoint.autoscaling_limit_min_cu,
    maxCu: endpoint.autoscaling_limit_max_cu,
    suspendSeconds: endpoint.suspend_timeout_seconds,
  };
}

function hostsOf(play: Play): string[] {
  return play.endpoints().map(({ host }) => host);
}

/** The part of an exported state that the demo reads. */
interface Deployment {
  resources?: { type: string; outputs?: Record<string, unknown> }[];
}

/** Checks that the stack's outputs name the platform's hosts. */
async function expectHosts(play: Play): Promise<void> {
  const { resources = [] } = (await play.stage.stack.exportStack()).deployment as Deployment;
  const outputs = resources.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs ?? {};
  const exported = [outputs.primaryHost, outputs.replicaHost];
  if (exported.some((host) => typeof host !== "string")) throw new BrokenPromise("the stack does not export its hosts");
  play.expect("the stack exports the platform's host names", exported, hostsOf(play));
}
