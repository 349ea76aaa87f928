import { describe, expect, it } from "vitest";
import { dynamicHost, pluginHost as host, urnOf } from "../support/hosts";
import { changesCalled, failuresOf, said } from "../support/look";
import { useBench } from "../support/platform";
import type { Run } from "../support/run";

// Specification, sections 1, 2.4, 8 and 9.

const bench = useBench();

/** Says that check refused the resource for exactly these reasons, by property. */
function expectFailures(run: Run, name: string, wanted: Record<string, RegExp>): void {
  const found = Object.fromEntries(failuresOf(run, name).map(({ property, reason }) => [property, reason]));
  expect(failuresOf(run, name)).toHaveLength(Object.keys(wanted).length);
  for (const [property, reason] of Object.entries(wanted)) expect(found[property], property).toMatch(reason);
}

describe("what is refused in a preview", () => {
  it("shows every fault at once, each on its property", async () => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const taken = bench.branch();
    const occupant = admin.seedEndpoint(projectId, {
      branch_id: taken,
      autoscaling_limit_min_cu: 1,
      autoscaling_limit_max_cu: 2,
    });
    const program = await bench.program(host);
    const refused = (args: Record<string, unknown>) =>
      program.is({ main: { args: { projectId, branchId: bench.branch(), ...args } } }).preview({ expectFailure: true });
    admin.clearLog();

    const first = await refused({ sizeCu: 9, suspendTimeoutSeconds: 604801, branchId: taken });
    expectFailures(first, "main", {
      sizeCu: /^9 CU is above the largest compute size, 7 CU/,
      suspendTimeoutSeconds: /^604801 seconds is above the longest delay, 604800 \(7 days\)/,
      branchId: new RegExp(`has a read-write endpoint, ${occupant.id} \\(1 to 2 CU, idle\\)`),
    });
    const ways = failuresOf(first, "main").find(({ property }) => property === "branchId")?.reason;
    expect(ways).toContain("`adoptExisting: true`");
    expect(ways?.match(/^ {2}- /gm)).toHaveLength(3);
    expect(ways).toContain("`aliases:");
    expect(ways).toContain(`run: pulumi import pgcompute:index:Endpoint main ${projectId}/${occupant.id}`);
    expect(changesCalled(bench)).toEqual([]);
  });

  it("refuses an unknown property with the nearest name, and what has the wrong type", async () => {
    const { projectId } = bench;
    const refused = async (args: Record<string, unknown>, by = host) => {
      const program = await bench.program(by);
      const declared = { main: { args: { projectId, branchId: bench.branch(), ...args } } };
      return program.is(declared).preview({ expectFailure: true });
    };
    // The YAML host checks a program against the schema before the provider sees it, and stops there.
    const { text } = await refused({ suspendTimeoutSecond: 60 });
    expect(text).toContain("Property suspendTimeoutSecond does not exist on 'pgcompute:index:Endpoint'");
    expect(text).toContain("suspendTimeoutSeconds");
    expect((await refused({ type: "writable" })).text).toMatch(/Allowed values are .*read_write.*read_only/);
    expectFailures(await refused({ suspendTimeoutSecond: 60, type: "writable" }, dynamicHost), "main", {
      suspendTimeoutSecond: /^unknown property; did you mean "suspendTimeoutSeconds"\?$/,
      type: /^"writable" is not one of "read_write", "read_only"$/,
    });
  });

  it("refuses a configuration that cannot be used, and says which key a platform did not accept", async () => {
    const { projectId } = bench;
    const { url, apiKey } = bench.emulator;
    const { project, is } = await bench.program(host);
    const stack = is({ main: { args: { projectId, branchId: bench.branch() } } });
    const refused = (env: Record<string, string> = {}) => stack.preview({ expectFailure: true, env });

    await project.setConfig({ "pgcompute:baseUrl": url.replace(/\/v2$/, ""), "pgcompute:plan": "gold" });
    const version = await refused();
    expect(version.failure).toMatch(/baseUrl.*its path must end in the API version, \/v2/);
    expect(version.failure).toMatch(/plan.*has to be "free" or "launch" or "scale" or "paid"$/m);

    await project.setConfig({ "pgcompute:baseUrl": url, "pgcompute:plan": "paid" });
    await project.cli(["config", "rm", "pgcompute:apiKey", "--stack", "dev"]);
    const none = await refused();
    expect(none.failure).toMatch(/apiKey.*no API key; run `pulumi config set --secret pgcompute:apiKey`, or set/);
    const environment = await refused({ PGCOMPUTE_API_KEY: "wrong-key" });
    expectFailures(environment, "main", { "": /PGCOMPUTE_API_KEY/ });
    expect(environment.failure).not.toContain("came from the configuration");
    expect(environment.text).not.toContain("wrong-key");

    const right = await stack.preview({ env: { PGCOMPUTE_API_KEY: apiKey } });
    expect(right.changes).toMatchObject({ create: 1 });
    expect(said(right)).toBe("");
    expect(urnOf(project, host, "main")).toBe(right.steps[0]?.urn);
  });
});
