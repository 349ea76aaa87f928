import { beforeEach, describe, expect, it } from "vitest";
import { type Bench, useBench } from "../support/bench";
import { runAlone, runCommand, type ShellOptions } from "./support/open-shell";

let bench: Bench;
beforeEach(async () => {
  bench = await useBench();
});

const command = (args: string[], options?: ShellOptions) => runCommand(bench, args, options);

function cellsOf(out: string): string[][] {
  return out
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
}

describe("projects", () => {
  it("are listed by id, name and region, page after page", async () => {
    const { admin, projectId } = bench.emulator;
    for (let count = 0; count < 120; count += 1) admin.seedProject({ name: `shop ${count}` });
    const rows = cellsOf((await command(["projects"])).out);
    expect(rows[0]).toEqual(["Project", "Name", "Region"]);
    expect(rows).toHaveLength(122);
    expect(rows.find(([id]) => id === projectId)).toEqual([projectId, "quiet-harbor", "aws-eu-central-1"]);
    const { projects } = JSON.parse((await command(["projects", "--json"])).out);
    expect(projects).toHaveLength(121);
  });
});

describe("branches", () => {
  it("are listed with their names and what is on them", async () => {
    const { admin, projectId, branchId, endpointId } = bench.emulator;
    const { id } = admin.seedBranch(projectId, { name: "dev" });
    admin.seedFleet(projectId, { count: 2, type: "read_only", branchId: id });
    const rows = cellsOf((await command(["branches"])).out);
    expect(rows[0]).toEqual(["Branch", "Name", "Read-write endpoint", "Replicas", "Created (UTC)"]);
    expect(rows.find(([one]) => one === branchId)?.slice(1, 4)).toEqual(["main (primary)", endpointId, "0"]);
    expect(rows.find(([one]) => one === id)?.slice(1, 4)).toEqual(["dev", "none", "2"]);
    const { branches } = JSON.parse((await command(["branches", "--json"])).out);
    expect(branches).toContainEqual(
      expect.objectContaining({ id, name: "dev", endpoints: expect.arrayContaining([expect.anything()]) }),
    );
  });
});

describe("endpoints show", () => {
  it.each([
    ["by PROJECT/ENDPOINT", (project: string, id: string) => `${project}/${id}`],
    ["by its id", (_: string, id: string) => id],
  ])("tells all of an endpoint, %s", async (_, named) => {
    const { admin, projectId } = bench.emulator;
    const endpoint = admin.seedEndpoint(projectId, {
      branch_id: bench.branch(),
      current_state: "active",
      autoscaling_limit_min_cu: 0.5,
      autoscaling_limit_max_cu: 2,
      settings: { pg_settings: { work_mem: "64MB" } },
    });
    const { out, code } = await command(["endpoints", "show", named(projectId, endpoint.id)]);
    expect(code).toBe(0);
    expect(Object.fromEntries(cellsOf(out))).toMatchObject({
      Endpoint: `${projectId}/${endpoint.id}`,
      State: "Active",
      Host: endpoint.host,
      Size: "0.5 to 2 CU",
      Memory: "2 to 8 GB",
      max_connections: "225",
      Autosuspend: "300 s",
      "Postgres settings": "work_mem=64MB",
    });
  });

  it("says that there is none", async () => {
    const { code, err } = await command(["endpoints", "show", "ep-nowhere-1"]);
    expect(code).toBe(1);
    expect(err).toMatch(/has no endpoint ep-nowhere-1; `pgcompute endpoints list` shows/);
  });
});

describe("what is not found", () => {
  it("is the address's fault where that is not the API's, and not that of id or key", async () => {
    const PGCOMPUTE_BASE_URL = bench.emulator.url.replace("/v2", "/other/v2");
    for (const args of [["projects"], ["branches"], ["operations"], ["endpoints", "show", "ep-a"]]) {
      const { code, err } = await command(args, { env: { PGCOMPUTE_BASE_URL } });
      expect(code).toBe(1);
      expect(err).toMatch(/answered 404: .*Correct the base address/);
      expect(err).not.toContain("Check the id");
    }
  });

  it("is the id's or the key's fault at the right address", async () => {
    const { err } = await command(["branches", "--project", "no-such-1"]);
    expect(err).toMatch(/answered 404: .*Check the id.*`pgcompute projects` lists/);
  });
});

describe("a table on a terminal", () => {
  it.each([40, 60, 80, 100, 146])("of %d columns is no wider, and names what it leaves out", async (columns) => {
    for (const args of [["endpoints"], ["operations"], ["operations", "--ids"], ["branches"], ["projects"]]) {
      const { out, err } = await command(args, { terminal: true, columns, env: { NO_COLOR: "1" } });
      const widest = Math.max(...out.split("\n").map((line) => line.length));
      // Operation ids were asked for, and take most of a narrow line by themselves.
      if (!(args.includes("--ids") && columns < 120)) expect(widest).toBeLessThanOrEqual(columns);
      if (err !== "") expect(err).toMatch(/^without [^\n]+, for which the terminal is too narrow\n$/);
    }
  });

  it("keeps ids and states whole where the host does not fit", async () => {
    const { endpointId } = bench.emulator;
    const { out, err } = await command(["endpoints"], { terminal: true, columns: 90, env: { NO_COLOR: "1" } });
    expect(cellsOf(out)[1]?.slice(0, 1)).toEqual([endpointId]);
    expect(out).toContain("Idle");
    expect(err).toContain("Host");
  });
});

describe("a command that is not there", () => {
  it.each([
    [["endpoints", "supend", "ep-a"], 'unknown command "supend"; did you mean "suspend"?'],
    [["endpoints", "ep-cool-rain-1"], 'unknown command "ep-cool-rain-1"; did you mean "show ep-cool-rain-1"?'],
    [["operations", "waite"], 'unknown command "waite"; did you mean "wait"?'],
    [["operations", "zzzzzzzz"], 'unknown command "zzzzzzzz"; see --help'],
  ])("%j is refused with the one that was meant", async (args, message) => {
    const { code, err } = await runAlone(args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

it.each(["operations", "endpoints"])("%s --help shows the options of its list", async (group) => {
  const { out, code } = await runAlone([group, "--help"]);
  expect(code).toBe(0);
  expect(out).toMatch(/Without a command it does `list`, whose options are:\n/);
  expect(out).toMatch(/ {2}--branch <id> +only those of this branch/);
  expect(out).toMatch(/ {2}--project <id> +/);
});

it.each([
  [[]],
  ...["review", "init", "projects", "branches", "import-file", "endpoints", "operations", "state"].map((name) => [
    [name],
  ]),
])("no line of help passes 80 columns: %s", async (args: string[]) => {
  const { out } = await runAlone([...args, "--help"], { terminal: true, columns: 200 });
  const [, subcommands = ""] = /^Commands:\n([\s\S]*?)\n\n/m.exec(`${out}\n\n`) ?? [];
  const names = [...subcommands.matchAll(/^ {2}([a-z-]+)/gm)].flatMap(([, name]) =>
    name && name !== "help" ? [name] : [],
  );
  const pages = args.length === 0 ? [] : names.map((name) => runAlone([...args, name, "--help"]));
  const texts = [out, ...(await Promise.all(pages)).map((page) => page.out)];
  expect(texts.flatMap((text) => text.split("\n")).filter((line) => line.length > 80)).toEqual([]);
});
