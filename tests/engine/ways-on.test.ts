/** What messages tell people to do is done as it stands in them; tests/unit/ways-on.test.ts holds that no message is without a row. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { commandIn } from "../support/commands";
import { followOn } from "./support/follow";
import { type Declarations, fleetType, pluginHost as host, urnOf } from "./support/hosts";
import { endpointIdOf, said, stored, storedNames } from "./support/look";
import { endpointsOn, useBench } from "./support/platform";
import { createProject } from "./support/project";
import type { Run } from "./support/run";

const bench = useBench();
const follow = followOn(bench);

type Program = Awaited<ReturnType<typeof bench.program>>;

/** A message, and what was there before it. */
interface Provoked {
  program: Program;
  branchId: string;
  /** The program that the message is about. */
  declared: Declarations;
  message: string;
  id?: string;
  /** Another stack that has what this is about. */
  owners?: Program;
}

const failed = { expectFailure: true };
const idsOn = (branchId: string) => endpointsOn(bench, branchId).map(({ id }) => id);

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

/** Restores a snapshot of a branch in its place; gives the branch that has it now. */
async function restoreInPlace(branchId: string): Promise<{ id: string }> {
  const { apiKey, url } = bench.emulator;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const call = async (path: string, body: object = {}) => {
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${url}/projects/${bench.projectId}/${path}`, init);
    const isOpen = () =>
      bench.emulator.admin.project(bench.projectId).operations.some(({ status }) => status !== "finished");
    await vi.waitUntil(() => !isOpen(), { timeout: 30_000 });
    return JSON.parse(await answer.text());
  };
  const { snapshot } = await call(`branches/${branchId}/snapshot`);
  return (await call(`snapshots/${snapshot.id}/restore`, { finalize_restore: true })).branch;
}

/** What a preview of the program is refused with. */
async function refused({ is }: Program, declared: Declarations): Promise<string> {
  return said(await is(declared).preview(failed));
}

/** Takes a resource out of the state as a message says, by the URN that Pulumi lists. */
async function forget({ project }: Program, message: string, name: string): Promise<void> {
  const urns = await follow(project, commandIn(message, "--show-urns"));
  const [, urn = ""] = urns.match(new RegExp(`(urn:\\S+::${name})\\b`)) ?? [];
  await follow(project, commandIn(message, "state delete URN").replace("URN", `'${urn}'`));
}

function expectSame(run: Run, same: number): void {
  expect(run.changes).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0, same });
}

const cases: Record<string, Case> = {
  "delete one's own first, where it is to be replaced by force": {
    provoke: async (program, branchId) => {
      const declared = single(branchId);
      await program.is(declared).up();
      const args = ["--replace", urnOf(program.project, host, "main")];
      const message = said(await program.is(declared).preview({ args, expectFailure: true }));
      return { declared, id: idsOn(branchId)[0] ?? "", message };
    },
    follow: async ({ program, message, branchId, id = "" }) => {
      await follow(program.project, commandIn(message, "pulumi destroy --target"));
      expect(idsOn(branchId)).toEqual([]);
      await follow(program.project, commandIn(message.split("destroy --target")[1] ?? "", "pulumi up"));
      expect(idsOn(branchId)).not.toContain(id);
      expect(idsOn(branchId)).toEqual([endpointIdOf(stored(program.project, host, "main"))]);
    },
  },
  "take what is imported out of the state that has it": {
    provoke: async (program, branchId) => {
      const owners = await bench.program(host);
      const x = { branchId: bench.branch() };
      const declared = { ...single(branchId), ...fleet({ x }) };
      await owners.is(declared).up();
      const ids = [branchId, x.branchId].map((one) => idsOn(one)[0] ?? "");
      const where = ["--yes", "--stack", "dev", "--generate-code=false", "--protect=false"];
      program.is({});
      let message = "";
      for (const [at, id] of ids.entries()) {
        const args = ["import", host.type, `copy-${at}`, `${bench.projectId}/${id}`, ...where];
        message += (await program.project.cli(args)).text;
      }
      return { declared, message, owners };
    },
    follow: async ({ message, declared, owners, branchId }) => {
      if (!owners) throw new Error("nobody has it");
      const command = commandIn(message, "pulumi state delete");
      await follow(owners.project, command.replace("URN", `'${stored(owners.project, host, "main").urn}'`));
      const members = membersOf(declared);
      const [, retained = ""] =
        message.match(/a member of a fleet by `pulumi up` with `(\w+): true`, and once more without it/) ?? [];
      const kept = Object.fromEntries(Object.entries(members).map(([key, one]) => [key, { ...one, [retained]: true }]));
      await owners.is(fleet(kept)).up();
      await owners.is({}).up();
      expect([branchId, Object(members.x).branchId].map((one) => idsOn(one).length)).toEqual([1, 1]);
      expect(owners.project.exportState().resources.filter(({ type }) => type.startsWith("pgcompute"))).toEqual([]);
    },
  },
  "delete what was taken over first, where it is to be replaced": {
    provoke: async (program, branchId) => {
      const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
      const args = { projectId: bench.projectId, branchId, adoptExisting: true };
      const declared = (replacementTrigger: string) => ({
        main: { args, options: { replacementTrigger, deleteBeforeReplace: true } },
      });
      await program.is(declared("one")).up();
      const all = said(await program.is(declared("two")).up(failed));
      // Other cases leave endpoints of resources of the same name, which this names as well.
      const message = all.slice(all.indexOf("to have a new one instead"));
      return { declared: declared("two"), id, message };
    },
    follow: async ({ program, message, branchId, declared, id }) => {
      await follow(program.project, `${commandIn(message, "endpoints delete")} --yes`);
      await follow(program.project, commandIn(message, "pulumi up --refresh"));
      expect(idsOn(branchId)).not.toContain(id);
      expect(idsOn(branchId)).toEqual([endpointIdOf(stored(program.project, host, "main"))]);
      expectSame(await program.is(declared).preview(), 1);
    },
  },
  "take a member that two fleets have out of one of them": {
    provoke: async (program, branchId) => {
      const stays = { branchId: bench.branch() };
      await program.is(fleet({ stays, x: { branchId } })).up();
      const [id = ""] = idsOn(branchId);
      const args = {
        projectId: bench.projectId,
        endpoints: { x: { branchId, importId: `${bench.projectId}/${id}` } },
      };
      const declared: Declarations = { ...fleet({ stays }), g: { args, isFleet: true } };
      const target = urnOf(program.project, host, "g").replace(host.type, fleetType(host));
      await program.is(declared).up({ args: ["--target", target] });
      return { declared, id, message: await refused(program, declared) };
    },
    follow: async ({ program, message, declared, branchId, id }) => {
      await follow(program.project, commandIn(message, "state scatter f x"));
      await forget(program, message, "x");
      await program.is(declared).up();
      expect(idsOn(branchId)).toEqual([id]);
      expectSame(await program.is(declared).preview(), 2);
    },
  },
  "forget the members whose project went": {
    provoke: async (program, branchId) => {
      const { admin } = bench.emulator;
      const projectId = admin.seedProject().project.id;
      const gone = () => ({ projectId, branchId: admin.seedBranch(projectId).id });
      const stays = { branchId };
      await program.is(fleet({ stays, a: gone(), b: gone() })).up();
      admin.deleteProject(projectId);
      await vi.waitFor(() => expect(() => admin.project(projectId)).toThrow(), { timeout: 60_000 });
      const declared = fleet({ stays }, { maxDeletions: 9 });
      return { declared, id: idsOn(branchId)[0] ?? "", message: await refused(program, declared) };
    },
    follow: async ({ program, message, declared, branchId, id }) => {
      await follow(program.project, commandIn(message, "state scatter"));
      for (const name of ["a", "b"]) await forget(program, message, name);
      await program.is(declared).up();
      expect(idsOn(branchId)).toEqual([id]);
    },
  },
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
  "see who has which endpoint": {
    provoke: async (program, branchId) => {
      await program.is({ old: { args: { projectId: bench.projectId, branchId } } }).up();
      const free = bench.branch();
      const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: free });
      const declared = { old: { args: { projectId: bench.projectId, branchId } }, ...single(free) };
      return { declared, id, message: await refused(program, declared) };
    },
    follow: async ({ program, message, id, branchId }) => {
      const listed = await follow(program.project, commandIn(message, "state list"));
      expect(listed).toMatch(new RegExp(`^${bench.projectId}/${idsOn(branchId)[0]} +old .* old +yes$`, "m"));
      expect(listed).toMatch(new RegExp(`^${bench.projectId}/${id} +none `, "m"));
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
  "allow larger sizes, and say that the account is on a paid plan": {
    provoke: async (program, branchId) => {
      await program.project.setConfig({ "pgcompute:plan": "free" });
      const declared = single(branchId, { sizeCu: 9 });
      return { declared, message: await refused(program, declared) };
    },
    follow: async ({ program, message, declared }) => {
      await follow(program.project, commandIn(message, "pgcompute:plan"));
      const larger = await refused(program, declared);
      await follow(program.project, commandIn(larger, "pgcompute:maxSizeCu"));
      expect((await program.is(declared).preview()).changes).toMatchObject({ create: 1 });
    },
  },
  "go back to the data of before a restore": {
    provoke: async (program, branchId) => {
      const declared = single(branchId);
      await program.is(declared).up();
      const { id: restored } = await restoreInPlace(branchId);
      await program.is(declared).refresh();
      const { id } = stored(program.project, host, "main");
      expect(endpointsOn(bench, restored).map((one) => `${bench.projectId}/${one.id}`)).toEqual([id]);
      return { declared, message: await refused(program, declared), ...(id && { id }) };
    },
    follow: async ({ program, message, branchId, id, declared }) => {
      await follow(program.project, `${commandIn(message, "PGCOMPUTE_UNDO_RESTORE")}`);
      expect(idsOn(branchId).map((one) => `${bench.projectId}/${one}`)).toEqual([id]);
      expectSame(await program.is(declared).preview(), 1);
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
};

it("the configuration is set to rights, message by message", async () => {
  const branchId = bench.branch();
  const project = await createProject({ config: { "pgcompute:baseUrl": bench.emulator.url } });
  onTestFinished(() => project.close());
  const stack = host.stack(project, single(branchId));
  const first = (await stack.preview(failed)).failure;
  await follow(project, `echo napi_wrong | ${commandIn(first, "config set --secret")}`);
  const refusedKey = said(await stack.preview(failed));
  await follow(project, `echo ${bench.emulator.apiKey} | ${commandIn(refusedKey, "config set --secret")}`);
  expect((await stack.up()).changes).toMatchObject({ create: 1 });
  // Or the variable, in place of the key that is set there.
  const [, variable = ""] = refusedKey.match(/, or give the key in (\w+)/) ?? [];
  expect(first).toContain(`or set the environment variable ${variable}`);
  await project.cli(["config", "rm", "pgcompute:apiKey", "--stack", "dev"]);
  await project.cli(["config", "rm", "pgcompute:baseUrl", "--stack", "dev"]);
  const env = { [variable]: bench.emulator.apiKey, PGCOMPUTE_BASE_URL: bench.emulator.url };
  expect((await stack.preview({ env })).changes).toMatchObject({ same: 1 });
});

describe("what a message says to do", () => {
  it.each(Object.entries(cases))("does it: %s", async (_, { provoke, follow: done }) => {
    const program = await bench.program(host);
    const branchId = bench.branch();
    await done({ program, branchId, ...(await provoke(program, branchId)) });
  });
});
