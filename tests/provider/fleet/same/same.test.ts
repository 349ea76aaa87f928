import { LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { describe, expect, it } from "vitest";
import { type OpenService, openService } from "../../pulumi/plugin/support/open-service";
import type { Case, World } from "./case";
import { cases, deletedOutside } from "./cases";
import { dynamicHost, type Host, type Kind, pluginHost, type Values } from "./hosts";
import { OneResource } from "./resource";

/** Plays a case in a project of its own. */
async function play({ emulator, lines, heard }: OpenService, host: Host, kind: Kind, { play: steps }: Case) {
  const said = lines.length;
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
  await heard();
  const { outcomes, messages } = resource;
  return { outcomes, messages, lines: clausesOf(lines.slice(said)) };
}

/** What was said to stay, in clauses: an endpoint joins them, and a fleet says of whom they are. */
function clausesOf(lines: OpenService["lines"]): string[] {
  return lines
    .filter(({ ephemeral, severity }) => !ephemeral && severity !== LogSeverity.ERROR)
    .flatMap(({ severity, message }) => {
      const level = severity === LogSeverity.WARNING ? "warning" : "info";
      const clauses = message.replace(/^main: /, "").split("; ");
      return clauses.map(
        (clause) => `${level}: ${clause.replace(/(\S+\/ep|\bbr)-[a-z0-9-]+|[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")}`,
      );
    });
}

/** What a fleet says in words of its own: that it takes something over, how long members were away, and by which setting nothing moves. */
const saidOtherwise =
  /takes over endpoint|adopts endpoint|destroy will release it|restarted: away for|no moves \(pgcompute:moves\)/;

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

const hosts = [
  ["plugin", pluginHost],
  ["dynamic", dynamicHost],
] as const;

type OpenHost = (typeof hosts)[number][1];

/** Plays a case for an endpoint and for a fleet of one, at a service that both have to themselves. */
async function playBoth(open: OpenHost, one: Case) {
  const service = await openService();
  try {
    const endpoint = await play(service, open(service), "Endpoint", one);
    service.emulator.admin.clearFaults();
    return { endpoint, fleet: await play(service, open(service), "EndpointFleet", one) };
  } finally {
    await service.close();
  }
}

// Many at a time: they wait for operations most of the time.
describe.each(hosts)("an endpoint and a fleet of one, on the %s host", (name, host) => {
  const own = cases.filter(({ onlyPlugin }) => name === "plugin" || !onlyPlugin);
  it.concurrent.each(own.map((one) => [one.name, one] as const))("%s", async (_, one) => {
    const { endpoint, fleet } = await playBoth(host, one);
    expect(fleet.outcomes).toEqual(endpoint.outcomes);
    for (const { messages, lines } of [endpoint, fleet]) {
      expect(messages).toEqual((one.messages ?? []).map((message) => expect.stringMatching(message)));
      for (const line of one.lines ?? []) expect(lines.join("\n")).toMatch(line);
    }
    // Whatever an endpoint says of a change, a fleet says of its member, as loud.
    expect(fleet.lines).toEqual(expect.arrayContaining(endpoint.lines.filter((line) => !saidOtherwise.test(line))));
  });

  it(`${deletedOutside.name}: the endpoint's update fails, the fleet's makes a new one`, async () => {
    const { endpoint, fleet } = await playBoth(host, deletedOutside);
    expect(endpoint.messages).toEqual([expect.stringMatching(/no longer exists/)]);
    expect(fleet.messages).toEqual([]);
    expect(fleet.outcomes).toMatchObject([
      { change: "create", failed: false, endpoint: "new" },
      { change: "update", failed: false, endpoint: "new" },
      { change: "delete", failed: false, platform: [{ branch: -1 }] },
    ]);
  });
});
