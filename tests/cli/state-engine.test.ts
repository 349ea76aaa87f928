import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseStackExport, resourcesOf } from "../../cli/state/stack-export";
import { hosts, pluginHost } from "../engine/support/hosts";
import { opsOf } from "../engine/support/look";
import { useBench } from "../engine/support/platform";
import { commandIn } from "../support/commands";
import { runAlone } from "./support/open-shell";

const bench = useBench();

/** Has the option `replaceWith` name what the resource depends on, in an exported state: not every language has it yet. */
function replaceWithDependencies(file: string, name: string): void {
  const state = parseStackExport(readFileSync(file, "utf8"));
  const found = resourcesOf(state).find(({ urn }) => urn.endsWith(`::${name}`));
  expect(found?.dependencies).toHaveLength(1);
  if (found) found.replaceWith = found.dependencies;
  writeFileSync(file, JSON.stringify(state));
}

it.each(hosts)(
  "single endpoints become a fleet's and come back, by the $name host: no preview shows a change",
  async (host) => {
    const { admin } = bench.emulator;
    const branches = Object.fromEntries(["a", "b", "app"].map((name) => [name, bench.branch()]));
    const argsOf = (name: string, more = {}) => ({ projectId: bench.projectId, branchId: branches[name], ...more });
    const a = argsOf("a", { pgSettings: { "app.password": { secret: "hunter2-hunter2" } } });
    const b = argsOf("b", { sizeCu: 2 });
    const app = (first: string) => ({ args: argsOf("app"), options: { dependsOn: [first] } });
    const program = bench.program(host);
    const { project } = program;
    const singles = {
      a: { args: a, options: { protect: true } },
      b: { args: b, options: { dependsOn: ["a"] } },
      app: app("a"),
    };
    await program.is(singles).up();
    admin.clearLog();

    const file = (name: string) => join(project.folders.program, name);
    const move = async (...args: string[]) => {
      await project.cli(["stack", "export", "--show-secrets", "--stack", "dev", "--file", file("old.json")]);
      replaceWithDependencies(file("old.json"), "app");
      const { code, err } = await runAlone(["state", ...args, "--state", file("old.json"), "--out", file("new.json")]);
      expect({ code, err }).toMatchObject({ code: 0, err: expect.stringMatching(/moved. Next: `pulumi stack import/) });
      expect(await project.cli(["stack", "import", "--stack", "dev", "--file", file("new.json")])).toMatchObject({
        code: 0,
      });
    };
    await move("gather", "both", "a", "b");
    const members = { a: { ...a, protect: true }, b };
    const fleet = (endpoints: object) => program.is({ both: { isFleet: true, args: { endpoints } }, app: app("both") });
    const gathered = await fleet(members).preview();
    expect(gathered.changes).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0, same: 2 });
    expect(program.names()).toEqual(["app"]);
    // From here on the members as a whole are a secret.
    const hidden = { secret: { ...members, a: { ...members.a, pgSettings: { "app.password": "hunter2-hunter2" } } } };
    expect((await fleet(hidden).up()).changes).toMatchObject({ same: 2 });
    expect(project.stateText()).not.toContain("hunter2");

    await move("scatter", "both", "*");
    expect(project.stateText()).not.toContain("hunter2");
    const back = program.is(singles);
    expect(opsOf(await back.preview(), "a")).toEqual(["same"]);
    expect((await back.up()).changes).toMatchObject({ same: 3 });
    expect(program.names().sort()).toEqual(["a", "app", "b"]);
    expect(project.stateText()).not.toContain("hunter2");
    expect(admin.log().filter(({ method }) => method !== "GET")).toEqual([]);
    expect(bench.on(branches.a)).toHaveLength(1);
  },
);

/** A resource as it lies in an exported state. */
type Raw = Record<string, unknown> & { urn: string };

it("a move that is refused names the command that lets it", async () => {
  const { project, is } = bench.program(pluginHost);
  const { projectId } = bench;
  const args = (more = {}) => ({ projectId, branchId: bench.branch(), ...more });
  const singles = { a: { args: args({ pgSettings: { "app.password": { secret: "hunter2" } } }) }, b: { args: args() } };
  const members = { x: args(), y: args() };
  const f = { isFleet: true as const, args: { endpoints: members } };
  await is(singles).up();
  bench.emulator.admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "status", status: 400 } });
  await is({ ...singles, f }).up({ expectFailure: true });
  const { endpoints } = project.exportState().resources.find(({ urn }) => urn.endsWith("::f"))?.outputs ?? {};
  const missing = "x" in (endpoints as object) ? "y" : "x";

  const pulumi = async (words: string[]) => {
    const asks = words[0] === "up" || words[0] === "refresh" || words[1] === "untaint" ? ["--yes"] : [];
    const ended = await project.cli([...words, ...asks, "--stack", "dev", "--non-interactive"]);
    expect(ended.code, ended.text).toBe(0);
    return ended.stdout;
  };
  const follow = (command: string) => {
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
    return pulumi(words.slice(1));
  };
  const move = async (words: string[], state?: string) =>
    runAlone(["state", ...words], { input: state ?? (await pulumi(["stack", "export", "--show-secrets"])) });
  const refused = async (words: string[], state?: string) => {
    const { code, err } = await move(words, state);
    expect({ code, err }).toMatchObject({ code: 1 });
    return err;
  };
  /** Writes into the backend what an interrupted run would have left there; an import would drop it. */
  const leave = (change: (state: { resources: Raw[]; pending_operations?: object[] }, b: Raw) => void) => {
    const file = join(project.folders.backend, ".pulumi", "stacks", project.name, "dev.json");
    const { checkpoint, ...rest } = JSON.parse(project.stateText());
    change(
      checkpoint.latest,
      checkpoint.latest.resources.find(({ urn }: Raw) => urn.endsWith("::b")),
    );
    writeFileSync(file, JSON.stringify({ ...rest, checkpoint }));
  };

  await follow(commandIn(await refused(["scatter", "f", missing]), "pulumi up"));
  expect(await move(["scatter", "f", missing])).toMatchObject({ code: 0 });

  const gather = ["gather", "all", "a", "b"];
  const hidden = await refused(gather, await pulumi(["stack", "export"]));
  expect(await move(gather, await follow(commandIn(hidden, "--show-secrets")))).toMatchObject({ code: 0 });
  expect(await refused(gather, "{}")).toContain("is not what `pulumi stack export` prints");

  await pulumi(["state", "taint", "--yes", `urn:pulumi:dev::${project.name}::${pluginHost.type}::b`]);
  await follow(commandIn(await refused(gather), "untaint"));
  expect(await move(gather)).toMatchObject({ code: 0 });

  for (const type of ["updating", "creating"]) {
    leave((state, b) => Object.assign(state, { pending_operations: [{ type, resource: b }] }));
    await follow(commandIn(await refused(gather), "pulumi refresh"));
    expect(await move(gather), type).toMatchObject({ code: 0 });
  }

  const { id } = bench.emulator.admin.seedEndpoint(projectId, { branch_id: bench.branch() });
  leave(({ resources }, b) => void resources.push({ ...b, id: `${projectId}/${id}`, delete: true }));
  await follow(commandIn(await refused(gather), "pulumi up"));
  expect(await move(gather)).toMatchObject({ code: 0 });
});
