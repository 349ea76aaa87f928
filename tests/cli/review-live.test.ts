import { describe, expect, it } from "vitest";
import type { Report } from "../../cli/review/report-model";
import { useBench } from "../support/bench";
import { planText } from "../unit/cli/support/plans";
import { runCommand } from "./support/open-shell";

const HOUR = 3_600_000;

type Bench = Awaited<ReturnType<typeof useBench>>;

/** A plan that halves an endpoint of 2 CU, as the engine prints it. */
function halving({ emulator }: Bench, ids: readonly string[], projectId = emulator.projectId): string {
  return planText(
    ids.map((id) => ({ projectId, id, branchId: emulator.admin.endpoint(id).branch_id, sizeCu: 2 })),
    { sizeCu: 1 },
  );
}

/** An endpoint of 2 CU that was used from 9 to 11 on each of so many days, and is idle since. */
async function openHistory(days: number) {
  const bench = await useBench({ startAt: Date.UTC(2024, 4, 1, 9) });
  const { emulator } = bench;
  const { id } = emulator.admin.seedEndpoint(emulator.projectId, {
    branch_id: bench.branch(),
    autoscaling_limit_min_cu: 2,
    autoscaling_limit_max_cu: 2,
  });
  for (let day = 0; day < days; day++) {
    emulator.admin.connect({ endpointId: id, connections: 1 });
    emulator.admin.advance(2 * HOUR);
    emulator.admin.disconnect({ endpointId: id });
    emulator.admin.advance(22 * HOUR);
  }
  const calls = () => emulator.admin.log().map(({ method, route }) => `${method} ${route}`);
  const review = async (plan: string, ...args: string[]) => {
    const ran = await runCommand(bench, ["review", "--live", ...args], { input: plan });
    return { ...ran, report: (ran.out.startsWith("{") ? JSON.parse(ran.out) : undefined) as Report | undefined };
  };
  return { bench, emulator, id, calls, review };
}

describe("review --live", () => {
  it("tells what the platform did with an endpoint, from one list and the operations", async () => {
    const { bench, id, calls, review } = await openHistory(40);
    const { out, err, code } = await review(halving(bench, [id]));
    expect({ err, code }).toEqual({ err: "", code: 0 });
    expect(out).toMatch(/- \*\*Now\*\*: idle for 21 h: a restart now drops nobody\n/);
    // 2 h a day, and 5 minutes until it suspends.
    expect(out).toMatch(
      /- \*\*Use\*\*: ran 63 h in 30 days, started 30 times: about 125 CU-hours at today's maximum, 63 at the new one/,
    );
    expect(out).toMatch(/- \*\*Quiet\*\*: never ran from 12:00 to 09:00 UTC in 30 days/);
    expect(calls()).toEqual(["GET endpoints.list", "GET operations.list", "GET projects.get"]);
  });

  it("says on the terminal whom a restart drops, and stops at the gate as without", async () => {
    const { bench, emulator, id, review } = await openHistory(1);
    emulator.admin.connect({ endpointId: id, connections: 1 });
    emulator.admin.advance(HOUR);
    const { out, code } = await review(halving(bench, [id]), "--out", "/dev/null", "--fail-on", "restart");
    expect(out).toMatch(
      /\nmain0: runs since 2024-05-02 09:00 UTC, last active .*: a restart now drops whoever is connected; ran 3.1 h in 25 h, started 2 times/,
    );
    expect(code).toBe(3);
  });

  it("reads no more than 20 pages of a project, and says how far they reach", async () => {
    const { bench, emulator, id, calls, review } = await openHistory(2);
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", count: 20_100 });
    const { report, err } = await review(halving(bench, [id]), "--format", "json");
    expect(calls().filter((call) => call === "GET operations.list")).toHaveLength(20);
    expect(report?.live?.reach).toMatchObject([{ pages: 20 }]);
    expect(err).toMatch(
      /^pgcompute: Operations of project \S+ were read back to \S+ \S+ UTC only: 20 pages reach no further/,
    );
  });

  it("says what it could not read, and goes on", async () => {
    const { bench, id, review } = await openHistory(1);
    const { report, code } = await review(halving(bench, [id], "nobodys-project"), "--format", "json");
    expect(code).toBe(0);
    expect(report?.live?.reach).toEqual([
      { projectId: "nobodys-project", failure: expect.stringMatching(/nobodys-project.*404/) },
    ]);
    expect(report?.endpoints[0]).not.toHaveProperty("live");
  });

  it("asks nobody where no endpoint changes, and for nothing that is no id", async () => {
    const { bench, id, calls, review } = await openHistory(0);
    await review(planText([], {}));
    await review(halving(bench, [id], "../../account"));
    expect(calls()).toEqual([]);
  });

  it("wants a key, and ends where it is refused", async () => {
    const { bench, id } = await openHistory(0);
    const ended = (key: string) =>
      runCommand(bench, ["review", "--live"], { input: halving(bench, [id]), env: { PGCOMPUTE_API_KEY: key } });
    expect(await ended("")).toMatchObject({ code: 2, err: expect.stringMatching(/no API key: set the environment/) });
    expect(await ended("wrong-key-0123456789")).toMatchObject({ code: 1, out: "" });
  });

  it("never takes an address from the plan: the key would go there", async () => {
    const { bench, id } = await openHistory(0);
    const plan = JSON.parse(halving(bench, [id]));
    const input = JSON.stringify({ ...plan, config: { "pgcompute:baseUrl": "http://127.0.0.1:9/api/v2" } });
    const { settings, code } = await runCommand(bench, ["review", "--live"], { input });
    expect(code).toBe(0);
    expect(settings.map(({ baseUrl }) => baseUrl.href.replace(/\/$/, ""))).toEqual([bench.emulator.url]);
  });
});
