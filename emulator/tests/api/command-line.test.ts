import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../tests/support/temporary-folder";
import { defaultSettings } from "../../settings/settings";
import { run } from "../support/command";

describe("the command line", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("prints where it is and ends cleanly on %s", async (signal) => {
    const { child, shows, ended } = run(["--port", "0", "--plan", "free", "--operation-ms", "0", "--api-key", "KEY"]);
    const output = await shows(/admin .*\n/);
    expect(output).toMatch(/^key {7}KEY$/m);
    expect(output).toMatch(/^project {3}quiet-harbor-12345678$/m);
    expect(output).toMatch(/^branch {4}br-quiet-harbor-main$/m);
    expect(output).toMatch(/^endpoint {2}ep-quiet-harbor-main$/m);
    const url = /^address {3}(http:\/\/127\.0\.0\.1:\d+\/api\/v2)$/m.exec(output)?.[1];
    const headers = { authorization: "Bearer KEY", "content-type": "application/json" };
    const body = JSON.stringify({ endpoint: { branch_id: "br-quiet-harbor-main", type: "read_only" } });
    const answer = await fetch(`${url}/projects/quiet-harbor-12345678/endpoints`, { method: "POST", headers, body });
    expect(await answer.json()).toMatchObject({ code: "PLAN_LIMIT" });
    child.kill(signal);
    expect((await ended).code).toBe(0);
  });

  it.each([
    ["--port", "65536"],
    ["--plan", "gold"],
    ["--api-key", "two words"],
    ["--typo", "1"],
    ["--rate-limit", "perHour=3"],
    ["--surprise", "yes"],
    ["--lock-status", "500"],
    ["--seed", "no-such-file.json"],
    ["--branch", "main"],
  ])("refuses %s %s", async (option, value) => {
    const { code, output } = await run([option, value]).ended;
    expect(code).toBe(1);
    expect(output).toMatch(/^pgcompute-emulator: /);
  });

  it("has a flag for every choice that createEmulator has, and its variable", async () => {
    const { code, output } = await run(["--help"]).ended;
    expect(code).toBe(0);
    const flags = [...output.matchAll(/^ {2}--([a-z-]+) [<[]/gm)].map(([, flag]) => flag);
    const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const fixed =
      "port host api-key clock start-at random-seed region-id service-domain body-limit-bytes log-limit " +
      "postgres pg-port postgres-bin data max-running user";
    expect(flags).toEqual([
      "seed",
      "branch",
      "write-config",
      ...fixed.split(" "),
      ...Object.keys(defaultSettings).map(kebab),
    ]);
  });

  it("takes settings of every kind from flags and variables, a flag before a variable", async () => {
    const flags = [
      "--operation-ms-by-action",
      "start_compute=7,apply_config=8",
      "--pooler-modes",
      "transaction,session",
    ];
    const more = ["--rate-limit", "perMinute=600,retryAfter=date", "--restart-call", "false", "--max-cu", "56"];
    const variables = { LOCK_STATUS: "422", MAX_CU: "8", CLOCK: "manual", START_AT: "1700000000000" };
    const env = Object.fromEntries(Object.entries(variables).map(([k, value]) => [`PGCOMPUTE_EMULATOR_${k}`, value]));
    const { shows } = run(["--port", "0", ...flags, ...more], env);
    const admin = /^admin +(\S+)$/m.exec(await shows(/console .*\n/))?.[1];
    expect(await (await fetch(`${admin}/settings`)).json()).toMatchObject({
      operationMsByAction: { start_compute: 7, apply_config: 8 },
      poolerModes: ["transaction", "session"],
      rateLimit: { perMinute: 600, retryAfter: "date" },
      restartCall: false,
      maxCu: 56,
      lockStatus: 422,
    });
    expect(await (await fetch(`${admin}/clock`)).json()).toEqual({ mode: "manual", now: 1_700_000_000_000 });
  });

  it("adds branches by name to the first project, ready for an endpoint", async () => {
    const args = ["--port", "0", "--api-key", "KEY", "--branch", "dev", "--branch", "Feature/1"];
    const output = await run(args).shows(/console .*\n/);
    expect(output).toMatch(/^branch {4}br-dev {2}\(dev, without an endpoint\)$/m);
    expect(output).toMatch(/^branch {4}br-\S+ {2}\(Feature\/1, without an endpoint\)$/m);
    const [, url = ""] = /^address +(\S+)$/m.exec(output) ?? [];
    const headers = { authorization: "Bearer KEY" };
    const answer = await fetch(`${url}/projects/quiet-harbor-12345678/branches`, { headers });
    const { branches } = (await answer.json()) as { branches: { name: string }[] };
    expect(branches.map(({ name }) => name).sort()).toEqual(["Feature/1", "dev", "main"]);
  });

  it("says at a second start on a folder which endpoints a named branch has by now", async () => {
    const args = ["--port", "0", "--api-key", "KEY", "--branch", "dev", "--data", temporaryFolder()];
    const first = run(args);
    const [, url = ""] = /^address +(\S+)$/m.exec(await first.shows(/console .*\n/)) ?? [];
    const headers = { authorization: "Bearer KEY", "content-type": "application/json" };
    const body = JSON.stringify({ endpoint: { branch_id: "br-dev", type: "read_write" } });
    const created = await fetch(`${url}/projects/quiet-harbor-12345678/endpoints`, { method: "POST", headers, body });
    const { endpoint } = (await created.json()) as { endpoint: { id: string } };
    first.child.kill("SIGTERM");
    await first.ended;
    expect(await run(args).shows(/console .*\n/)).toMatch(`br-dev  (dev, with ${endpoint.id})`);
  });

  it("says what to do where its address is taken", async () => {
    const [, port = ""] = /^address .*:(\d+)\//m.exec(await run(["--port", "0"]).shows(/console .*\n/)) ?? [];
    const { code, output } = await run(["--port", port]).ended;
    expect(code).toBe(1);
    expect(output).toMatch(`pgcompute-emulator: address in use: something listens at 127.0.0.1:${port} already`);
    expect(output).toMatch(/give --port another number, or 0 for any free port\.\n$/);
  });

  it("names the lines to run where no stack takes its address and key", async () => {
    const env = { PATH: temporaryFolder() };
    const { code, output } = await run(["--port", "0", "--api-key", "KEY", "--write-config"], env).ended;
    expect(code).toBe(1);
    expect(output).toMatch(/--write-config: there is no pulumi on PATH\n/);
    // The address would say that it is ready.
    expect(output).not.toMatch(/^address /m);
    expect(output).toMatch(/\n {2}pulumi config set pgcompute:baseUrl http:\/\/127\.0\.0\.1:\d+\/api\/v2\n/);
  });

  it("writes no configuration where the variable says false", async () => {
    const env = { PGCOMPUTE_EMULATOR_WRITE_CONFIG: "false", PATH: "/no/such/folder" };
    const { child, shows, ended } = run(["--port", "0"], env);
    await shows(/console .*\n/);
    child.kill("SIGTERM");
    expect(await ended).toEqual({ code: 0, output: expect.not.stringMatching(/write-config/) });
  });

  it("starts with the contents of a file", async () => {
    const file = join(temporaryFolder(), "seed.json");
    const branches = [{ id: "br-one", name: "one", endpoint: { name: "first" } }];
    writeFileSync(file, JSON.stringify({ projects: [{ id: "shop", branchId: "br-shop", endpoint: false, branches }] }));
    const output = await run(["--port", "0", "--seed", file]).shows(/console .*\n/);
    expect(output).toMatch(/^project {3}shop\nbranch {4}br-shop\nendpoint {2}$/m);

    for (const [text, reason] of [
      ["{", /JSON/],
      ['{"project": []}', /project: unknown field/],
      ['{"projects": []}', /projects/],
      ['{"projects": [{"id": "a"}, {"id": "a"}]}', /project a already exists/],
      ['{"projects": [{"name": 1}]}', /\[0\]\.name/],
      ['{"projects": [{"branches": [{"parentId": "br-none"}]}]}', /br-none.*not found/],
    ] as const) {
      writeFileSync(file, text);
      const { code, output: failure } = await run(["--port", "0", "--seed", file]).ended;
      expect([code, failure]).toEqual([1, expect.stringMatching(reason)]);
      expect(failure).toMatch(/^pgcompute-emulator: /);
    }
  });
});
