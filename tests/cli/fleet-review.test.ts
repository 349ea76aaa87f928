import { expect, it } from "vitest";
import { readPlan } from "../../cli/review/plan";
import { toReport } from "../../cli/review/report";
import { differencesFrom, sealOf } from "../../cli/review/seal";
import { fleetType, hosts } from "../engine/support/hosts";
import { useBench } from "../engine/support/platform";

const bench = useBench();
const streamed = { PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" };

it.each(hosts)("a fleet is reviewed, sealed and watched member by member, by the $name host", async (host) => {
  const { project, is } = await bench.program(host);
  const keys = ["a", "b", "c", "d"] as const;
  const branchOf = Object.fromEntries([...keys, "e"].map((key) => [key, bench.branch()]));
  const member = (key: string, more: object = {}) => ({ [key]: { branchId: branchOf[key], ...more } });
  const fleet = (...members: object[]) =>
    is({
      previews: {
        isFleet: true,
        args: {
          projectId: bench.projectId,
          defaults: { sizeCu: 2, suspendTimeoutSeconds: 600 },
          endpoints: Object.assign({}, ...members),
        },
      },
    });
  const before = fleet(...keys.map((key) => member(key)));
  await before.up();
  const plan = (text: string) => readPlan(Buffer.from(text));
  const fates = (text: string, drift = false) => {
    const { endpoints, unchanged, otherChanges } = toReport(plan(text), { drift });
    const told = endpoints.map(({ name, action, restarts }) => `${name}: ${action}, restarts ${restarts}`);
    return { told, unchanged, otherChanges };
  };

  const after = fleet(
    member("a"),
    member("b", { sizeCu: 1 }),
    member("d", { suspendTimeoutSeconds: 60, pgSettings: { secret: { work_mem: "8MB" } } }),
    member("e"),
  );
  const digest = (await after.preview({ args: ["--json"] })).stdout;
  const events = (await after.preview({ args: ["--json"], env: streamed })).stdout;
  // Only the plugin tells that the secret settings differ.
  const configured =
    host.name === "plugin"
      ? ["previews/d: update, restarts not_stated", "previews/e: create, restarts no"]
      : ["previews/e: create, restarts no", "previews/d: update, restarts no"];
  for (const text of [digest, events]) {
    expect(fates(text)).toEqual({
      told: ["previews/b: update, restarts yes", "previews/c: delete, restarts no", ...configured],
      unchanged: 1,
      otherChanges: 0,
    });
  }
  const report = toReport(plan(digest));
  const [resized] = report.endpoints;
  expect(resized).toMatchObject({
    urn: `urn:pulumi:dev::${project.name}::${fleetType(host)}$${host.type}::previews/b`,
    id: expect.stringContaining(`${bench.projectId}/ep-`),
    sizeCu: { before: { min: 2, max: 2 }, after: { min: 1, max: 1 } },
  });
  expect(JSON.stringify(report)).not.toContain("8MB");
  expect(differencesFrom(sealOf(plan(digest)), sealOf(plan(events)))).toEqual([]);
  expect(sealOf(plan(digest)).endpoints.map(({ name, values }) => [name, values.sizeCu?.after])).toEqual([
    ["previews/b", { min: 1, max: 1 }],
    ["previews/c", undefined],
  ]);

  const endpoints = bench.emulator.admin.project(bench.projectId).endpoints;
  const id = (key: string) => endpoints.find(({ branch_id }) => branch_id === branchOf[key])?.id ?? "";
  bench.emulator.admin.changeEndpoint(id("a"), { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
  bench.emulator.admin.dropEndpoint(id("c"));
  const refresh = ["refresh", "--stack", "dev", "--preview-only", "--json", "--non-interactive"];
  const { stdout } = await project.cli(refresh, { env: streamed });
  expect(fates(stdout, true)).toEqual({
    told: ["previews/a: update, restarts yes", "previews/c: recreate, restarts no"],
    unchanged: 2,
    otherChanges: 0,
  });

  // One of two that change places makes room, and c is gone: only the plugin's rows tell which.
  const exchanged = fleet(
    member("a", { branchId: branchOf.b }),
    member("b", { branchId: branchOf.a }),
    member("c"),
    member("d"),
  );
  const expected =
    host.name === "plugin" ? ["create no", "replace yes", "update no"] : Array(2).fill("update possible");
  for (const env of [{}, streamed]) {
    const { endpoints: planned } = toReport(plan((await exchanged.preview({ args: ["--json"], env })).stdout));
    expect(planned.map(({ action, replaced }) => `${action} ${replaced}`).sort()).toEqual(expected);
  }
});

it.each(hosts)("what a plan hides of a fleet is said, and what it shows is read, by the $name host", async (host) => {
  const { project, is } = await bench.program(host);
  const [a, b, c] = [bench.branch(), bench.branch(), bench.branch()];
  const fleet = (endpoints: object) =>
    is({ previews: { isFleet: true, args: { projectId: bench.projectId, endpoints } } });
  const members = {
    a: { branchId: a, sizeCu: 1 },
    b: { branchId: b, sizeCu: 1, pgSettings: { work_mem: { secret: "8MB" } } },
    r: { branchId: a, type: "read_only", sizeCu: 1 },
  };
  const reviewed = async (endpoints: object, ...args: string[]) => {
    const { stdout } = await fleet(endpoints).preview({
      args: ["--json", ...args],
      env: { PGCOMPUTE_ADOPT_INTERRUPTED: "1" },
    });
    return toReport(readPlan(Buffer.from(stdout)), { failOn: ["delete", "access", "config"] });
  };
  await fleet(members).up();
  const one = await reviewed({ ...members, a: { ...members.a, branchId: c, passwordlessAccess: true } });
  const told = one.endpoints.map(({ name, move, restarts }) => [name, move?.to, restarts]);
  // Only the plugin tells that the secret settings are the same.
  expect(told.slice(0, 1)).toEqual([["previews/a", c, "no"]]);
  expect(one.endpoints.some(({ name }) => name === "previews/r")).toBe(false);
  expect(
    (await reviewed({ secret: { ...members, a: { ...members.a, sizeCu: 2 }, b: { branchId: b, sizeCu: 1 } } })).summary,
  ).toMatch(/^3 members cannot be read$/);
  const { r, ...rest } = members;
  const urn = `urn:pulumi:dev::${project.name}::${fleetType(host)}::previews`;
  const replaced = await reviewed({ ...rest, q: r }, "--replace", urn);
  expect(replaced.gate?.met[0]).toEqual({ condition: "delete", endpoints: ["previews/r"] });
  await project.setConfig({ "pgcompute:plan": "paid" });
  const configured = await reviewed(members);
  expect(configured.gate).toMatchObject(
    host.name === "plugin"
      ? { met: [{ condition: "config", endpoints: ["default"] }] }
      : { met: [{ condition: "config", endpoints: [] }], undecided: true },
  );
});
