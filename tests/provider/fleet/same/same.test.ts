import { beforeEach, describe, expect, it } from "vitest";
import { useService } from "../../pulumi/plugin/support/open-service";
import { type Case, cases, deletedOutside, type World } from "./cases";
import { dynamicHost, type Host, type Kind, pluginHost, type Values } from "./hosts";
import { OneResource } from "./resource";

const service = useService();

beforeEach(() => service.emulator.admin.clearFaults());

/** Plays a case in a project of its own. */
async function play(host: Host, kind: Kind, { play: steps }: Case) {
  const { emulator } = service;
  const projectId = emulator.admin.seedProject().project.id;
  const branches = [0, 1].map(() => emulator.admin.seedBranch(projectId).id) as unknown as World["branches"];
  const look = () =>
    emulator.admin
      .state()
      .projects.flatMap(({ project, endpoints }) =>
        endpoints.flatMap((one) => (project.id === projectId ? [viewOf(one as never, branches)] : [])),
      );
  const resource = new OneResource(host, kind, look);
  const inputs = (changes: Values = {}) => {
    const all = { projectId, branchId: branches[0], type: "read_write", ...changes };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  };
  await steps({ emulator, projectId, branches, resource, inputs });
  return resource;
}

/** What of an endpoint has to come out alike. */
function viewOf(one: Values, branches: readonly string[]) {
  const { type, autoscaling_limit_min_cu, autoscaling_limit_max_cu, suspend_timeout_seconds, pooler_enabled } = one;
  const { pooler_mode, settings, disabled, passwordless_access } = one;
  return {
    branch: branches.indexOf(String(one.branch_id)),
    type,
    size: [autoscaling_limit_min_cu, autoscaling_limit_max_cu],
    suspend_timeout_seconds,
    pooler: [pooler_enabled, pooler_mode],
    settings,
    disabled,
    passwordless_access,
  };
}

const hosts: [string, () => Host][] = [
  ["plugin", () => pluginHost(service)],
  ["dynamic", () => dynamicHost(service)],
];

describe.each(hosts)("an endpoint and a fleet of one, on the %s host", (name, host) => {
  const own = cases.filter(({ onlyPlugin }) => name === "plugin" || !onlyPlugin);
  it.each(own.map((one) => [one.name, one] as const))("%s", async (_, one) => {
    const endpoint = await play(host(), "Endpoint", one);
    const fleet = await play(host(), "EndpointFleet", one);
    expect(fleet.outcomes).toEqual(endpoint.outcomes);
    for (const { messages } of [endpoint, fleet]) {
      expect(messages).toEqual((one.messages ?? []).map((message) => expect.stringMatching(message)));
    }
  });

  it(`${deletedOutside.name}: the endpoint's update fails, the fleet's makes a new one`, async () => {
    const endpoint = await play(host(), "Endpoint", deletedOutside);
    expect(endpoint.messages).toEqual([expect.stringMatching(/no longer exists/)]);
    const fleet = await play(host(), "EndpointFleet", deletedOutside);
    expect(fleet.messages).toEqual([]);
    expect(fleet.outcomes).toMatchObject([
      { change: "create", failed: false, endpoint: "new" },
      { change: "update", failed: false, endpoint: "new" },
      { change: "delete", failed: false, platform: [{ branch: -1 }] },
    ]);
  });
});
