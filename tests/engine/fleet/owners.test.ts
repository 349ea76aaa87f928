import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor, memberOwner } from "../../../provider/lib/owner";
import { runAlone } from "../../cli/support/open-shell";
import { type Declarations, type Declared, fleetType, pluginHost as host, urnOf } from "../support/hosts";
import { changesCalled, said } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";
import type { Project } from "../support/project";

const bench = useBench();
const TAKE_UP = { PGCOMPUTE_ADOPT_INTERRUPTED: "1" };
const ASKS = /PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up/;

/** A program on branches of its own, by the names of those. */
async function open() {
  const branches = new Map<string, string>();
  const on = (name: string) => branches.get(name) ?? branches.set(name, bench.branch()).get(name) ?? "";
  const { projectId } = bench;
  const place = (name: string, more: Record<string, unknown> = {}) => ({ branchId: on(name), ...more });
  const fleet = (endpoints: Record<string, unknown>, options = {}): Declared => ({
    isFleet: true,
    args: { projectId, endpoints },
    options,
  });
  const single = (name: string, { options = {}, ...more }: Record<string, unknown> = {}): Declared => ({
    args: { projectId, ...place(name, more) },
    options: options as object,
  });
  const program = await bench.program(host);
  const { project } = program;
  const urn = (name: string) => urnOf(project, host, name);
  const fleetUrn = (name: string) => urn(name).replace(host.type, fleetType(host));
  return { program, project, on, place, fleet, single, urn, fleetUrn };
}

type Used = Awaited<ReturnType<typeof open>>;

async function cli(project: Project, ...args: string[]): Promise<void> {
  const { code, text } = await project.cli([...args, "--non-interactive"]);
  expect(code, text).toBe(0);
}

/** Makes a member a single endpoint of the same name as its key. */
async function scatter(project: Project, ...names: string[]): Promise<void> {
  const file = (name: string) => join(project.folders.program, name);
  await cli(project, "stack", "export", "--stack", "dev", "--file", file("old.json"));
  const moved = await runAlone(["state", "scatter", ...names, "--state", file("old.json"), "--out", file("new.json")]);
  expect(moved).toMatchObject({ code: 0 });
  await cli(project, "stack", "import", "--stack", "dev", "--file", file("new.json"));
}

/** The endpoints that the state has, one entry for each owner. */
function idsInState(project: Project): unknown[] {
  return project.exportState().resources.flatMap(({ id, outputs }) => {
    if (id?.includes("/")) return [id.split("/")[1]];
    return Object.values((outputs?.endpoints ?? {}) as Record<string, { endpointId: string }>).map(
      ({ endpointId }) => endpointId,
    );
  });
}

const replica = { type: "read_only" };

/** How an endpoint comes to bear the name of a member that does not have it, and the program that would take it. */
interface Case {
  /** Makes it so, and gives the program and the run's arguments. */
  play(used: Used): Promise<{ declared: Declarations; args?: string[]; refusal?: RegExp }>;
}

const cases: Record<string, Case["play"]> = {
  "a member that scatter made a single endpoint, its key used again": async ({ program, project, ...used }) => {
    const { fleet, place, single, fleetUrn } = used;
    await program.is({ f: fleet({ x: place("x"), r: place("r", replica) }) }).up();
    await scatter(project, "f", "r");
    const f = fleet({ x: place("x"), r: place("r", replica) });
    return { declared: { f, r: single("r", replica) }, args: ["--target", fleetUrn("f")] };
  },
  "a fleet that was renamed, and a new one of its old name": async ({ program, ...used }) => {
    const { fleet, place, fleetUrn } = used;
    const members = { p: place("p"), r: place("r", replica) };
    await program.is({ a: fleet(members) }).up();
    const b = fleet(members, { aliases: ["a"] });
    await program.is({ b }).up();
    return { declared: { b, a: fleet(members) }, args: ["--target", fleetUrn("a")] };
  },
  "a member that went to another stack, its key used again": async ({ program, project, ...used }) => {
    const { fleet, place, urn } = used;
    const f = fleet({ x: place("x"), m: place("m") });
    await program.is({ f }).up();
    await scatter(project, "f", "m");
    await cli(project, "stack", "init", "other", "--no-select");
    await cli(project, "state", "move", "--source", "dev", "--dest", "other", "--yes", urn("m"));
    return { declared: { f } };
  },
  "an endpoint that somebody else has given a member's name, with settings of their own": async ({
    program,
    ...used
  }) => {
    const { fleet, place, on, fleetUrn } = used;
    await program.is({ f: fleet({ x: place("x") }) }).up();
    const name = newOwnershipName(madeFor(memberOwner(fleetUrn("f"), "m")));
    const settings = { pg_settings: { log_statement: "all" } };
    bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: on("m"), name, settings });
    const declared = { f: fleet({ x: place("x"), m: place("m", { sizeCu: 1 }) }) };
    const asked = await program.is(declared).preview({ env: TAKE_UP });
    expect(said(asked, "f")).toContain('keeps what the program does not set: pgSettings {"log_statement":"all"}');
    return { declared };
  },
  "a single endpoint with the URN that a member would have": async ({ program, ...used }) => {
    const { fleet, place, single } = used;
    const zz = single("zz", { options: { parent: "f" } });
    await program.is({ f: fleet({ x: place("x") }), "f/zz": zz }).up();
    const declared = { f: fleet({ x: place("x"), zz: place("zz") }), "f/zz": zz };
    return { declared, refusal: /already has a read-write endpoint|already declares the read-write endpoint/ };
  },
};

/** What the platform has of a project. */
const everything = () => JSON.stringify(bench.emulator.admin.project(bench.projectId).endpoints);

describe("an endpoint that bears a member's name", () => {
  it.each(Object.keys(cases))("is not taken unasked: %s", async (name) => {
    const used = await open();
    const { project, program } = used;
    const { declared, args = [], refusal = ASKS } = await (cases[name] as Case["play"])(used);
    const [before, ids] = [everything(), idsInState(project)];
    bench.emulator.admin.clearLog();
    const stack = program.is(declared);
    // Its preview is refused by the same Check.
    expect((await stack.up({ args, expectFailure: true })).text).toMatch(refusal);
    expect(changesCalled(bench)).toEqual([]);
    expect(everything()).toBe(before);
    expect(idsInState(project).sort()).toEqual(ids.sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("is taken up by what is replaced by force only where somebody says so, a fleet and a single resource, and nothing is replaced", async () => {
    const { program, project, fleet, single, place, on, urn, fleetUrn } = await open();
    const declared = { f: fleet({ p: place("p"), r: place("r", replica) }), s: single("s") };
    const stack = program.is(declared);
    await stack.up();
    const ids = idsInState(project).sort();
    const forced = [fleetUrn("f"), urn("s")];
    for (const way of ["--replace", "a taint"]) {
      if (way === "a taint") {
        for (const one of forced) await cli(project, "state", "taint", "--stack", "dev", "--yes", one);
      }
      const args = way === "a taint" ? [] : forced.flatMap((one) => ["--replace", one]);
      // The engine shows it like a first create.
      expect((await stack.preview({ args, expectFailure: true })).text, way).toMatch(ASKS);
      bench.emulator.admin.clearLog();
      const up = await stack.up({ args, env: TAKE_UP });
      expect(said(up, "f"), way).toMatch(/2 of the members are there.*nothing is replaced/);
      expect(said(up, "s"), way).toMatch(/takes over endpoint/);
      expect(changesCalled(bench), way).toEqual([]);
      expect(idsInState(project).sort(), way).toEqual(ids);
    }
    expect(["p", "r", "s"].flatMap((name) => endpointsOn(bench, on(name)).map(({ id }) => id)).sort()).toEqual(ids);
    expect((await stack.up()).changes).toMatchObject({ same: 2 });
  });
});
