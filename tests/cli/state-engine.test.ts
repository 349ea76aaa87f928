import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseStackExport, resourcesOf } from "../../cli/state/stack-export";
import { hosts } from "../engine/support/hosts";
import { opsOf, storedNames } from "../engine/support/look";
import { endpointsOn, useBench } from "../engine/support/platform";
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
    const program = await bench.program(host);
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
    expect(storedNames(project, host)).toEqual(["app"]);
    // From here on the members as a whole are a secret.
    const hidden = { secret: { ...members, a: { ...members.a, pgSettings: { "app.password": "hunter2-hunter2" } } } };
    expect((await fleet(hidden).up()).changes).toMatchObject({ same: 2 });
    expect(project.stateText()).not.toContain("hunter2");

    await move("scatter", "both", "*");
    expect(project.stateText()).not.toContain("hunter2");
    const back = program.is(singles);
    expect(opsOf(await back.preview(), "a")).toEqual(["same"]);
    expect((await back.up()).changes).toMatchObject({ same: 3 });
    expect(storedNames(project, host).sort()).toEqual(["a", "app", "b"]);
    expect(project.stateText()).not.toContain("hunter2");
    expect(admin.log().filter(({ method }) => method !== "GET")).toEqual([]);
    expect(endpointsOn(bench, branches.a ?? "")).toHaveLength(1);
  },
);
