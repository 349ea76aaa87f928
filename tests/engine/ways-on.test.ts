/** What messages tell people to do is done as it stands in them; tests/unit/ways-on.test.ts holds that no message is without a row. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { commandIn } from "../support/commands";
import { followOn } from "./support/follow";
import { type Declarations, pluginHost as host } from "./support/hosts";
import { said } from "./support/look";
import { useBench } from "./support/platform";
import { createProject } from "./support/project";

const bench = useBench();
const follow = followOn(bench);

const failed = { expectFailure: true };
const idsOn = (branchId: string) => bench.on(branchId).map(({ id }) => id);

const single = (branchId: string, more: object = {}): Declarations => ({
  main: { args: { projectId: bench.projectId, branchId, ...more } },
});
const fleet = (endpoints: Record<string, object>, more: object = {}): Declarations => ({
  f: { args: { projectId: bench.projectId, endpoints, ...more }, isFleet: true },
});

/** A stack, and a branch for its endpoint. */
function open() {
  const program = bench.program(host);
  const { project, is, idOf } = program;
  const branchId = bench.branch();
  return {
    ...{ ...program, branchId },
    /** Runs the command of a message that has these words. */
    does: (message: string, words: string, more = "") => follow(project, commandIn(message, words) + more),
    /** What a preview of the program is refused with. */
    refused: async (declared: Declarations, ...args: string[]) => said(await is(declared).preview({ args, ...failed })),
    /** The id of the resource `main`, the only one of the branch. */
    onlyId: () => {
      expect(idsOn(branchId)).toEqual([idOf("main")]);
      return idOf("main");
    },
    expectSame: async (declared: Declarations, same = 1) => {
      const { changes } = await is(declared).preview();
      expect(changes).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0, same });
    },
    /** Takes a resource out of the state, so that nobody has its endpoint. */
    abandon: (name: string) => project.pulumi("state", "delete", program.urn(name)),
  };
}

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

/** A project that goes with all that is in it. */
async function deleteProject(projectId: string): Promise<void> {
  const { admin } = bench.emulator;
  admin.deleteProject(projectId);
  await vi.waitFor(() => expect(() => admin.project(projectId)).toThrow(), { timeout: 60_000 });
}

it("the configuration is set to rights, message by message", async () => {
  const branchId = bench.branch();
  const project = createProject({ config: { "pgcompute:baseUrl": bench.emulator.url } });
  onTestFinished(() => project.close());
  const stack = host.stack(project, single(branchId));
  const first = (await stack.preview(failed)).failure;
  await follow(project, `echo napi_wrong | ${commandIn(first, "config set --secret")}`);
  const refusedKey = said(await stack.preview(failed));
  await follow(project, `echo ${bench.emulator.apiKey} | ${commandIn(refusedKey, "config set --secret")}`);
  expect((await stack.up()).changes).toMatchObject({ create: 1 });
  // Or the variable, where the configuration has no key: one that is set there comes first.
  const [, variable = ""] = String(first).match(/or set the environment variable (\w+)/) ?? [];
  expect(refusedKey).not.toContain(variable);
  for (const key of ["apiKey", "baseUrl"]) await project.cli(["config", "rm", `pgcompute:${key}`, "--stack", "dev"]);
  const env = { [variable]: bench.emulator.apiKey, PGCOMPUTE_BASE_URL: bench.emulator.url };
  expect((await stack.preview({ env })).changes).toMatchObject({ same: 1 });
});

describe("a message about what is to be replaced says how to", () => {
  it("delete one's own first, where it is to be replaced by force", async () => {
    const { is, branchId, does, refused, onlyId, urn } = open();
    await is(single(branchId)).up();
    const old = onlyId();
    const message = await refused(single(branchId), "--replace", urn("main"));
    await does(message, "pulumi destroy --target");
    expect(idsOn(branchId)).toEqual([]);
    await does(message.split("destroy --target")[1] ?? "", "pulumi up");
    expect(onlyId()).not.toBe(old);
  });

  it("delete what was taken over first, where it is to be replaced", async () => {
    const { is, branchId, does, onlyId, expectSame } = open();
    const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
    const args = { projectId: bench.projectId, branchId, adoptExisting: true };
    const declared = (replacementTrigger: string) => ({
      main: { args, options: { replacementTrigger, deleteBeforeReplace: true } },
    });
    await is(declared("one")).up();
    const all = said(await is(declared("two")).up(failed));
    // Other cases leave endpoints of resources of the same name, which this names as well.
    const message = all.slice(all.indexOf("to have a new one instead"));
    await does(message, "endpoints delete", " --yes");
    await does(message, "pulumi up --refresh");
    expect(onlyId()).not.toBe(id);
    await expectSame(declared("two"));
  });
});

describe("a message about what two have says how to", () => {
  it("take what is imported out of the state that has it", async () => {
    const [copies, owners] = [open(), open()];
    const x = { branchId: bench.branch() };
    await owners.is({ ...single(owners.branchId), ...fleet({ x }) }).up();
    copies.is({});
    const imports = (branchId: string, env = {}) => {
      const args = [host.type, branchId, `${bench.projectId}/${idsOn(branchId)[0]}`, "--generate-code=false"];
      return copies.project.cli(["import", ...args, "--protect=false", "--yes", "--stack", "dev"], { env });
    };
    const branches = [owners.branchId, x.branchId];
    let message = "";
    for (const branchId of branches) {
      const { code, text } = await imports(branchId);
      expect(code).not.toBe(0);
      message += text;
    }
    expect(copies.names()).toEqual([]);
    const command = commandIn(message, "pulumi state delete");
    await follow(owners.project, command.replace("URN", `'${owners.stored("main").urn}'`));
    const [, retained = ""] =
      message.match(/a member of a fleet by `pulumi up` with `(\w+): true`, and once more without it/) ?? [];
    await owners.is(fleet({ x: { ...x, [retained]: true } })).up();
    await owners.is({}).up();
    expect(branches.map((one) => idsOn(one).length)).toEqual([1, 1]);
    expect(owners.project.exportState().resources.filter(({ type }) => type.startsWith("pgcompute"))).toEqual([]);
    const [, variable = ""] = message.match(/run the same command again with (\w+)=1, as in/) ?? [];
    for (const branchId of branches) expect((await imports(branchId, { [variable]: "1" })).code).toBe(0);
    expect(copies.names().sort()).toEqual([...branches].sort());
  });

  it("take one of two resources that have it out of their state", async () => {
    const { project, is, branchId, does, refused, expectSame, stored, urn } = open();
    const owner = { args: { projectId: bench.projectId, branchId } };
    await is({ owner }).up();
    const { id = "" } = stored("owner");
    const args = ["import", host.type, "copy", id, "--generate-code=false", "--protect=false"];
    const env = { PGCOMPUTE_ADOPT_INTERRUPTED: "1" };
    const { text } = await project.cli([...args, "--yes", "--stack", "dev", "--non-interactive"], { env });
    const message = await refused({ owner, copy: owner });
    for (const name of ["owner", "copy"]) expect(message).toContain(`pulumi state delete '${urn(name)}'`);
    expect(message).not.toContain("pulumi import");
    await does(text, `pulumi state delete '${urn("owner")}'`);
    await expectSame({ copy: owner });
    expect(idsOn(branchId).map((one) => `${bench.projectId}/${one}`)).toEqual([id]);
  });

  it("take a member that two fleets have out of one of them", async () => {
    const { is, branchId, does, refused, expectSame, urn } = open();
    const stays = { branchId: bench.branch() };
    await is(fleet({ stays, x: { branchId } })).up();
    const [id = ""] = idsOn(branchId);
    const endpoints = { x: { branchId, importId: `${bench.projectId}/${id}` } };
    const declared: Declarations = {
      ...fleet({ stays }),
      g: { args: { projectId: bench.projectId, endpoints }, isFleet: true },
    };
    const target = urn("g", host.fleetType);
    await is(declared).up({ args: ["--target", target] });
    await does(await refused(declared), "::f/x");
    await is(declared).up();
    expect(idsOn(branchId)).toEqual([id]);
    await expectSame(declared, 2);
  });

  it("see who has which endpoint", async () => {
    const { is, branchId, does, refused } = open();
    const old = { args: { projectId: bench.projectId, branchId } };
    await is({ old }).up();
    const free = bench.branch();
    const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: free });
    const listed = await does(await refused({ old, ...single(free) }), "state list");
    expect(listed).toMatch(new RegExp(`^${bench.projectId}/${idsOn(branchId)[0]} +old .* old +yes$`, "m"));
    expect(listed).toMatch(new RegExp(`^${bench.projectId}/${id} +none `, "m"));
  });
});

describe("a message about what nobody has says how to", () => {
  it("take up what no state has", async () => {
    const { is, branchId, does, refused, onlyId, expectSame, abandon } = open();
    await is(single(branchId)).up();
    const id = onlyId();
    await abandon("main");
    const message = await refused(single(branchId));
    expect(message).toContain("what nobody has, as after retainOnDelete, the first command takes up");
    await does(message, "pulumi up");
    expect(onlyId()).toBe(id);
    await expectSame(single(branchId));
  });

  it("delete what a name tells that nobody has", async () => {
    const { is, branchId, does, refused, onlyId, abandon } = open();
    await is({ old: { args: { projectId: bench.projectId, branchId } } }).up();
    await abandon("old");
    await does(await refused(single(branchId)), "endpoints delete", " --yes");
    expect(idsOn(branchId)).toEqual([]);
    await is(single(branchId)).up();
    onlyId();
  });

  it("keep the endpoint of what was renamed twice", async () => {
    const { is, branchId, does, refused, expectSame, urn } = open();
    const args = { projectId: bench.projectId, branchId };
    await is({ one: { args } }).up();
    const ids = idsOn(branchId);
    await is({ two: { args, options: { aliases: ["one"] } } }).up();
    const message = await refused({ three: { args } });
    expect(message).toContain('aliases: [{ name: "one" }]');
    const shown = await does(message, "pulumi stack --show-urns");
    const name = shown.includes(urn("two")) ? "two" : "";
    const declared = { three: { args, options: { aliases: [name] } } };
    await is(declared).up();
    expect(idsOn(branchId)).toEqual(ids);
    await expectSame(declared);
  });

  it("import what is there", async () => {
    const { branchId, does, refused, onlyId } = open();
    const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
    await does(await refused(single(branchId)), "pulumi import");
    expect(onlyId()).toBe(id);
  });
});

describe("a message about what is gone says how to", () => {
  it("create again what is gone", async () => {
    const { is, branchId, does, onlyId, expectSame, names } = open();
    await is(single(branchId)).up();
    bench.emulator.admin.dropEndpoint(onlyId());
    const declared = single(branchId, { sizeCu: 2 });
    const message = said(await is(declared).up(failed));
    await does(message, "pulumi refresh");
    expect(names()).toEqual([]);
    await does(message, "pulumi up");
    onlyId();
    await expectSame(declared);
  });

  it("forget the members whose project went", async () => {
    const { is, branchId, does, refused } = open();
    const { admin } = bench.emulator;
    const projectId = admin.seedProject().project.id;
    const gone = () => ({ projectId, branchId: admin.seedBranch(projectId).id });
    const stays = { branchId };
    await is(fleet({ stays, a: gone(), b: gone() })).up();
    const ids = idsOn(branchId);
    await deleteProject(projectId);
    const declared = fleet({ stays }, { maxDeletions: 9 });
    await does(await refused(declared), "state forget");
    await is(declared).up();
    expect(idsOn(branchId)).toEqual(ids);
  });

  it.each(["preview", "up", "refresh"] as const)("forget what went with its project: %s", async (command) => {
    const { is, does, names } = open();
    const { admin } = bench.emulator;
    const projectId = admin.seedProject().project.id;
    const stack = is({ main: { args: { projectId, branchId: admin.seedBranch(projectId).id } } });
    await stack.up();
    await deleteProject(projectId);
    await does(said(await stack[command](failed)), "state forget");
    expect(names()).toEqual([]);
    await is({}).up();
  });

  it("let a root branch's endpoint stay", async () => {
    const { is, does, names } = open();
    const seeded = bench.emulator.admin.seedProject({ endpoint: false });
    const stack = is({ main: { args: { projectId: seeded.project.id, branchId: seeded.branches[0]?.id } } });
    await stack.up();
    await does(said(await stack.destroy(failed)), "state forget");
    await is({}).destroy();
    expect(names()).toEqual([]);
  });

  it("go back to the data of before a restore", async () => {
    const { is, branchId, does, refused, onlyId, expectSame } = open();
    const declared = single(branchId);
    await is(declared).up();
    const id = onlyId();
    const { id: restored } = await restoreInPlace(branchId);
    await is(declared).refresh();
    expect(idsOn(restored)).toEqual([id]);
    await does(await refused(declared), "PGCOMPUTE_UNDO_RESTORE");
    expect(onlyId()).toBe(id);
    await expectSame(declared);
  });
});

describe("a message about what a program says tells how to", () => {
  it("allow larger sizes, and say that the account is on a paid plan", async () => {
    const { project, is, branchId, does, refused } = open();
    project.setConfig({ "pgcompute:plan": "free" });
    const declared = single(branchId, { sizeCu: 9 });
    await does(await refused(declared), "pgcompute:plan");
    await does(await refused(declared), "pgcompute:maxSizeCu");
    expect((await is(declared).preview()).changes).toMatchObject({ create: 1 });
  });

  it("see the ids of branches", async () => {
    const { branchId, does, refused } = open();
    expect(await does(await refused(single("main")), "branches")).toContain(branchId);
  });

  it("see the ids of projects", async () => {
    const { branchId, does, refused } = open();
    const message = await refused(single(branchId, { projectId: "My shop" }));
    expect(await does(message, "projects")).toContain(bench.projectId);
  });
});
