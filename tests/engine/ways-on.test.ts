/** What messages tell people to do is done as it stands in them; tests/unit/ways-on.test.ts holds that no message is without a row. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { commandIn } from "../support/commands";
import { type Declarations, pluginHost as host } from "./support/hosts";
import { endpointIdOf, said, stored, storedNames } from "./support/look";
import { endpointsOn, useBench } from "./support/platform";
import type { Project } from "./support/project";
import type { Run } from "./support/run";

const bench = useBench();

type Program = Awaited<ReturnType<typeof bench.program>>;

/** A message, and what was there before it. */
interface Provoked {
  program: Program;
  branchId: string;
  /** The program that the message is about. */
  declared: Declarations;
  message: string;
  id?: string;
}

/** Runs a command of a message as it stands there, with nothing added but what no person at a terminal has to give. */
async function follow(project: Project, command: string): Promise<string> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  const env: Record<string, string> = {};
  while (/^[A-Z_]+=/.test(words[0] ?? "")) {
    const [name = "", value = ""] = (words.shift() ?? "").split("=");
    env[name] = value;
  }
  const [programName = "", ...args] = words;
  if (programName !== "pulumi") {
    const own = { PGCOMPUTE_API_KEY: bench.emulator.apiKey, PGCOMPUTE_BASE_URL: bench.emulator.url };
    return (await promisify(execFile)(programName, args, { env: { ...process.env, ...own, ...env } })).stdout;
  }
  const asks = ["up", "refresh", "destroy", "import"].includes(args[0] ?? "") || args[1] === "delete";
  const ended = await project.cli([...args, "--stack", "dev", "--non-interactive", ...(asks ? ["--yes"] : [])], {
    env,
  });
  expect(ended.text, command).not.toMatch(/^error:/m);
  expect(ended.code, ended.text).toBe(0);
  return ended.text;
}

const failed = { expectFailure: true };
const idsOn = (branchId: string) => endpointsOn(bench, branchId).map(({ id }) => id);

/** The value that a message gives an option, such as `maxDeletions: 3`. */
function optionIn(message: string, name: string): unknown {
  const [, value = ""] = message.match(new RegExp(`\`${name}: ([^\`]+)\``)) ?? [];
  expect(value, message).not.toBe("");
  return value.startsWith("[") ? value : JSON.parse(value);
}

interface Case {
  provoke(program: Program, branchId: string): Promise<Omit<Provoked, "program" | "branchId">>;
  follow(provoked: Provoked): Promise<void>;
}

const single = (branchId: string, more: object = {}): Declarations => ({
  main: { args: { projectId: bench.projectId, branchId, ...more } },
});
const fleet = (endpoints: Record<string, object>, more: object = {}): Declarations => ({
  f: { args: { projectId: bench.projectId, endpoints, ...more }, isFleet: true },
});

const membersOf = (declared: Declarations) => Object(declared.f?.args.endpoints) as Record<string, object>;

/** What a preview of the program is refused with. */
async function refused({ is }: Program, declared: Declarations): Promise<string> {
  return said(await is(declared).preview(failed));
}

function expectSame(run: Run, same: number): void {
  expect(run.changes).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0, same });
}

const cases: Record<string, Case> = {
  "take up what no state has": {
    provoke: async (program, branchId) => {
      const declared = single(branchId);
      await program.is(declared).up();
      const { id } = stored(program.project, host, "main");
      await program.project.cli([
        "state",
        "delete",
        stored(program.project, host, "main").urn,
        "--stack",
        "dev",
        "--yes",
      ]);
      return { declared, message: await refused(program, declared), ...(id && { id }) };
    },
    follow: async ({ program, message, id, declared }) => {
      await follow(program.project, commandIn(message, "pulumi up"));
      expect(stored(program.project, host, "main").id).toBe(id);
      expectSame(await program.is(declared).preview(), 1);
    },
  },
  "delete what a name tells that nobody has": {
    provoke: async (program, branchId) => {
      await program.is({ old: { args: { projectId: bench.projectId, branchId } } }).up();
      const { urn } = stored(program.project, host, "old");
      await program.project.cli(["state", "delete", urn, "--stack", "dev", "--yes"]);
      const declared = single(branchId);
      return { declared, message: await refused(program, declared) };
    },
    follow: async ({ program, message, branchId, declared }) => {
      await follow(program.project, `${commandIn(message, "endpoints delete")} --yes`);
      expect(idsOn(branchId)).toEqual([]);
      await program.is(declared).up();
      expect(idsOn(branchId)).toEqual([endpointIdOf(stored(program.project, host, "main"))]);
    },
  },
  "import what is there": {
    provoke: async (program, branchId) => {
      const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
      return { declared: single(branchId), id, message: await refused(program, single(branchId)) };
    },
    follow: async ({ program, message, branchId, id }) => {
      await follow(program.project, commandIn(message, "pulumi import"));
      expect(endpointIdOf(stored(program.project, host, "main"))).toBe(id);
      expect(idsOn(branchId)).toEqual([id]);
    },
  },
  "adopt what is there": {
    provoke: async (program, branchId) => {
      const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
      return { declared: single(branchId), id, message: await refused(program, single(branchId)) };
    },
    follow: async ({ program, message, branchId, id }) => {
      await program.is(single(branchId, { adoptExisting: optionIn(message, "adoptExisting") })).up();
      expect(endpointIdOf(stored(program.project, host, "main"))).toBe(id);
    },
  },
  "keep the endpoint of a resource that was renamed": {
    provoke: async (program, branchId) => {
      const place = { args: { projectId: bench.projectId, branchId } };
      await program.is({ old: place }).up();
      const [id = ""] = idsOn(branchId);
      return { declared: { main: place }, id, message: await refused(program, { main: place }) };
    },
    follow: async ({ program, message, declared, id }) => {
      const [, alias = ""] = String(optionIn(message, "aliases")).match(/name: "([^"]+)"/) ?? [];
      await program.is({ main: { args: declared.main?.args ?? {}, options: { aliases: [alias] } } }).up();
      expect(endpointIdOf(stored(program.project, host, "main"))).toBe(id);
      expect(storedNames(program.project, host)).toEqual(["main"]);
    },
  },
  "wait for the resource that leaves the branch": {
    provoke: async (program, branchId) => {
      const on = (place: string) => ({ args: { projectId: bench.projectId, branchId: place } });
      await program.is({ old: on(branchId) }).up();
      const declared = { old: on(bench.branch()), main: on(branchId) };
      return { declared, message: await refused(program, declared) };
    },
    follow: async ({ program, message, declared, branchId }) => {
      const [, name = ""] = String(optionIn(message, "dependsOn")).match(/^\[(.+)\]$/) ?? [];
      const main = { args: declared.main?.args ?? {}, options: { dependsOn: [name] } };
      const after = { ...declared, main };
      expect(storedNames(program.project, host)).toContain(name);
      await program.is(after).up();
      expect(idsOn(branchId)).toEqual([endpointIdOf(stored(program.project, host, "main"))]);
      expectSame(await program.is(after).preview(), 2);
    },
  },
  "create again what is gone": {
    provoke: async (program, branchId) => {
      await program.is(single(branchId)).up();
      const [id = ""] = idsOn(branchId);
      bench.emulator.admin.dropEndpoint(id);
      const declared = single(branchId, { sizeCu: 2 });
      return { declared, message: said(await program.is(declared).up(failed)) };
    },
    follow: async ({ program, message, branchId, declared }) => {
      await follow(program.project, commandIn(message, "pulumi refresh"));
      expect(storedNames(program.project, host)).toEqual([]);
      await follow(program.project, commandIn(message, "pulumi up"));
      expect(idsOn(branchId)).toEqual([endpointIdOf(stored(program.project, host, "main"))]);
      expectSame(await program.is(declared).preview(), 1);
    },
  },
  "forget what went with its project": {
    provoke: async (program) => {
      const { admin } = bench.emulator;
      const projectId = admin.seedProject().project.id;
      const declared = { main: { args: { projectId, branchId: admin.seedBranch(projectId).id } } };
      await program.is(declared).up();
      admin.deleteProject(projectId);
      await vi.waitFor(() => expect(() => admin.project(projectId)).toThrow(), { timeout: 60_000 });
      return { declared, message: said(await program.is(declared).refresh(failed)) };
    },
    follow: async ({ program, message }) => {
      await follow(program.project, commandIn(message, "state delete"));
      expect(storedNames(program.project, host)).toEqual([]);
      await program.is({}).up();
    },
  },
  "let a root branch's endpoint stay": {
    provoke: async (program) => {
      const { admin } = bench.emulator;
      const { project, branches } = admin.seedProject({ endpoint: false });
      const declared = { main: { args: { projectId: project.id, branchId: branches[0]?.id } } };
      await program.is(declared).up();
      return { declared, message: said(await program.is(declared).destroy(failed)) };
    },
    follow: async ({ program, message }) => {
      await follow(program.project, commandIn(message, "state delete"));
      await program.is({}).destroy();
      expect(storedNames(program.project, host)).toEqual([]);
    },
  },
  "allow larger sizes": {
    provoke: async (program, branchId) => {
      const declared = single(branchId, { sizeCu: 9 });
      return { declared, message: await refused(program, declared) };
    },
    follow: async ({ program, message, declared }) => {
      await follow(program.project, commandIn(message, "pgcompute:maxSizeCu"));
      expect((await program.is(declared).preview()).changes).toMatchObject({ create: 1 });
    },
  },
  "say that the account is on a paid plan": {
    provoke: async (program, branchId) => {
      await program.project.setConfig({ "pgcompute:plan": "free" });
      const declared = single(branchId, { sizeCu: 1 });
      return { declared, message: await refused(program, declared) };
    },
    follow: async ({ program, message, declared }) => {
      await follow(program.project, commandIn(message, "pgcompute:plan"));
      expect((await program.is(declared).preview()).changes).toMatchObject({ create: 1 });
    },
  },
  "see the ids of branches": {
    provoke: async (program) => ({ declared: {}, message: await refused(program, single("main")) }),
    follow: async ({ program, message, branchId }) => {
      expect(await follow(program.project, commandIn(message, "branches"))).toContain(branchId);
    },
  },
  "see the ids of projects": {
    provoke: async (program, branchId) => {
      const declared = { main: { args: { projectId: "My shop", branchId } } };
      return { declared, message: await refused(program, declared) };
    },
    follow: async ({ program, message }) => {
      expect(await follow(program.project, commandIn(message, "projects"))).toContain(bench.projectId);
    },
  },
  "let so many members go": {
    provoke: async (program) => {
      const members = Object.fromEntries(["a", "b", "c", "d", "e"].map((key) => [key, { branchId: bench.branch() }]));
      await program.is(fleet(members)).up();
      const declared = fleet({ a: members.a ?? {} });
      return { declared, message: await refused(program, declared) };
    },
    follow: async ({ program, message, declared }) => {
      const endpoints = membersOf(declared);
      await program.is(fleet(endpoints, { maxDeletions: optionIn(message, "maxDeletions") })).up();
      expectSame(await program.is(fleet(endpoints)).preview(), 1);
    },
  },
  "let a protected member go": {
    provoke: async (program, branchId) => {
      const b = { branchId: bench.branch() };
      await program.is(fleet({ a: { branchId, protect: true }, b })).up();
      const declared = fleet({ b });
      return { declared, message: await refused(program, declared) };
    },
    follow: async ({ program, message, declared, branchId }) => {
      const endpoints = membersOf(declared);
      await program.is(fleet({ a: { branchId, protect: optionIn(message, "protect") }, ...endpoints })).up();
      await program.is(declared).up();
      expect(idsOn(branchId)).toEqual([]);
    },
  },
  "make what is there a fleet's own": {
    provoke: async (program, branchId) => {
      const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
      const declared = fleet({ a: { branchId } });
      return { declared, id, message: await refused(program, declared) };
    },
    follow: async ({ program, message, branchId, id }) => {
      const declared = fleet({ a: { branchId, importId: optionIn(message, "importId") } });
      await program.is(declared).up();
      expect(idsOn(branchId)).toEqual([id]);
      expectSame(await program.is(declared).preview(), 1);
      await program.is({}).up();
      expect(idsOn(branchId)).toEqual([]);
    },
  },
};

describe("what a message says to do", () => {
  it.each(Object.entries(cases))("does it: %s", async (_, { provoke, follow: done }) => {
    const program = await bench.program(host);
    const branchId = bench.branch();
    await done({ program, branchId, ...(await provoke(program, branchId)) });
  });
});
