import { it } from "vitest";
import { useBench } from "../support/bench";
import { stepFor } from "../unit/cli/support/plans";
import { expectTold, type Line, transcriptOf } from "./support/transcript";

const HOUR = 3_600_000;

type Bench = Awaited<ReturnType<typeof useBench>>;

/** A plan that halves endpoints of 2 CU, as the engine prints it. */
function halving({ emulator }: Bench, ids: readonly string[], projectId = emulator.projectId): string {
  const steps = ids.map((id) => {
    const { urn, type } = stepFor("main0", "update");
    const inputs = { projectId, branchId: emulator.admin.endpoint(id).branch_id, type: "read_write", sizeCu: 2 };
    const outputs = { ...inputs, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2, suspendTimeoutSeconds: 0 };
    const oldState = { urn, type, id: `${projectId}/${id}`, inputs, outputs };
    return { op: "update", urn, oldState, newState: { ...oldState, inputs: { ...inputs, sizeCu: 1 } } };
  });
  return JSON.stringify({ steps, changeSummary: { update: steps.length } });
}

/** The step of a provider that the program configures with this address. */
function providerAt(baseUrl: string) {
  const urn = "urn:pulumi:dev::shop::pulumi:providers:pgcompute::other";
  return { op: "same", urn, newState: { urn, type: "pulumi:providers:pgcompute", inputs: { baseUrl } } };
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
  return { bench, emulator, id };
}

/** Restarts the project's first endpoint. */
async function restartFirst({ emulator }: { emulator: Bench["emulator"] }) {
  const { url, projectId, endpointId, apiKey, admin } = emulator;
  admin.changeEndpoint(endpointId, { current_state: "active" });
  const headers = { Authorization: `Bearer ${apiKey}` };
  await fetch(`${url}/projects/${projectId}/endpoints/${endpointId}/restart`, { method: "POST", headers });
  admin.advance(HOUR);
}

/** What it prints of plans, and what it asks of the platform for it. */
async function reviewed(
  { bench, emulator }: Awaited<ReturnType<typeof openHistory>>,
  ...lines: Line[]
): Promise<string> {
  emulator.admin.clearLog();
  const text = await transcriptOf(lines, bench);
  const calls = emulator.admin.log().map(({ method, route }) => `${method} ${route}`);
  const counts = [...new Set(calls)].map((call) => `${calls.filter((one) => one === call).length} ${call}`);
  return `${text}${counts.map((count) => `> ${count}\n`).join("")}\n`;
}

it("review --live tells what the platform did with endpoints, and asks for no more than that: as it was", async () => {
  const plan = (of: Awaited<ReturnType<typeof openHistory>>, projectId?: string) =>
    halving(of.bench, [of.id], projectId);
  const long = await openHistory(40);
  const told = [await reviewed(long, ["review --live", { title: "40 days of use", input: plan(long) }])];
  const busy = await openHistory(1);
  busy.emulator.admin.connect({ endpointId: busy.id, connections: 1 });
  busy.emulator.admin.advance(HOUR);
  const gate: Line = [
    "review --live --out /dev/null --fail-on restart",
    { title: "somebody is connected", input: plan(busy) },
  ];
  told.push(await reviewed(busy, gate));
  for (const [title, input] of [
    ["nobody's project", plan(busy, "nobodys-project")],
    ["no change", halving(busy.bench, [])],
    ["a project that is no id", plan(busy, "../../account")],
  ] as const)
    told.push(await reviewed(busy, ["review --live --out /dev/null", { title, input }]));
  const many = await openHistory(2);
  many.emulator.admin.startOperation({
    projectId: many.emulator.projectId,
    action: "check_availability",
    count: 20_100,
  });
  told.push(await reviewed(many, ["review --live --out /dev/null", { title: "20,100 operations", input: plan(many) }]));
  const early = await openHistory(1);
  early.emulator.admin.startOperation({
    projectId: early.emulator.projectId,
    action: "check_availability",
    count: 1_100,
  });
  early.emulator.admin.advance(30.5 * 24 * HOUR);
  told.push(await reviewed(early, ["review --live --out /dev/null", { title: "30 days ago", input: plan(early) }]));
  const beside = await openHistory(1);
  await restartFirst(beside);
  told.push(
    await reviewed(beside, ["review --live --out /dev/null", { title: "beside a restart", input: plan(beside) }]),
  );
  // The key would go there.
  const named = (address: string) => ({ config: { "pgcompute:baseUrl": address } });
  const elsewhere = "https://pg.example.com/api/v2";
  for (const [title, more] of [
    ["never an address from the plan", named(elsewhere)],
    ["nor one of a provider in it", { steps: [...JSON.parse(plan(busy)).steps, providerAt(elsewhere)] }],
    [
      "nor one of several",
      { ...named(busy.emulator.url), steps: [...JSON.parse(plan(busy)).steps, providerAt(elsewhere)] },
    ],
    ["nor what is no address", named("http://pg.example.com/api/v2?\u001b[2J")],
    ["its own address, in another spelling", named(`${busy.emulator.url}/`)],
  ] as const) {
    const input = JSON.stringify({ ...JSON.parse(plan(busy)), ...more });
    told.push(await reviewed(busy, ["review --live --out /dev/null", { title, input }]));
  }
  const key = { PGCOMPUTE_API_KEY: "wrong-key-0123456789" };
  told.push(await reviewed(busy, ["review --live", { title: "a wrong key", input: plan(busy), env: key }]));
  const ids = [long, busy, many, early, beside].map(({ id }) => id);
  await expectTold(
    "review-live",
    ids.reduce((text, id) => text.replaceAll(id, "ep-used"), told.join("")),
  );
});
