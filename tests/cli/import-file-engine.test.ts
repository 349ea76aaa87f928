import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hosts } from "../engine/support/hosts";
import { type Program, useBench } from "../engine/support/platform";
import { runAlone } from "./support/open-shell";

const bench = useBench();
const failed = { expectFailure: true };

/** What import-file makes of the program's state. */
async function importFile({ project }: Program, ...args: string[]) {
  const [state, out] = ["state.json", "out.json"].map((name) => join(project.folders.program, name));
  expect(await project.cli(["stack", "export", "--file", state ?? "", "--stack", "dev"])).toMatchObject({ code: 0 });
  const { code, err } = await runAlone(["import-file", "--from", state ?? "", "--out", out ?? "", ...args]);
  return { code, err, file: out ?? "" };
}

it.each(hosts)(
  "many go into a fleet, and out of it again, by what import-file writes, by the $name host",
  async (host) => {
    const program = bench.program(host);
    const { admin } = bench.emulator;
    const args = (more = {}) => ({ projectId: bench.projectId, branchId: bench.branch(), ...more });
    const pgSettings = { "app.password": { secret: "hunter2-hunter2" } };
    const singles = {
      a: { args: args({ sizeCu: 1, pgSettings }) },
      b: { args: args({ sizeCu: 1 }) },
      c: { args: args({ adoptExisting: true }) },
    };
    const there = admin.seedEndpoint(bench.projectId, { branch_id: singles.c.args.branchId });
    const app = (first: string) => ({ args: appArgs, options: { dependsOn: [first] } });
    const appArgs = args();
    await program.is({ ...singles, app: app("a") }).up();
    admin.clearLog();

    const into = await importFile(program, "--fleet", "all", "--name", "a", "--name", "b", "--name", "c");
    expect(into.err).toContain("Fill in what is secret, which the preview refuses until then: pgSettings of a.");
    const { endpoints, ...shared } = JSON.parse(readFileSync(into.file, "utf8"));
    const fleet = (members: object) => ({
      all: { isFleet: true as const, args: { ...shared, endpoints: members } },
      app: app("all"),
    });
    const refused = await program.is(fleet(endpoints)).preview(failed);
    expect(refused.text).toContain("pgSettings");
    const filled = { ...endpoints, a: { ...endpoints.a, pgSettings } };
    await program.is(fleet(filled)).up();
    expect((await program.is(fleet(filled)).up()).changes).toMatchObject({ same: 2, update: 0 });
    expect(program.names()).toEqual(["app"]);
    expect(program.project.stateText()).not.toContain("hunter2");

    const out = await importFile(program);
    if (host.name === "dynamic") {
      const err = expect.stringContaining("dynamic resources cannot be imported");
      expect(out).toMatchObject({ code: 1, err });
    } else {
      const kept = Object.entries<object>(filled).map(([key, one]) => [key, { ...one, retainOnDelete: true }]);
      await program.is(fleet(Object.fromEntries(kept))).up();
      await program.is({ app: { args: appArgs } }).up();
      const words = [
        "import",
        "--file",
        out.file,
        "--generate-code=false",
        "--protect=false",
        "--yes",
        "--stack",
        "dev",
      ];
      expect(await program.project.cli(words, { env: { PGCOMPUTE_ADOPT_INTERRUPTED: "1" } })).toMatchObject({
        code: 0,
      });
      expect(out.err).toContain("`PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi import --file");
      const back = program.is({ ...singles, c: { args: { ...singles.c.args, adoptExisting: false } }, app: app("a") });
      await back.up();
      expect((await back.up()).changes).toMatchObject({ same: 4, update: 0 });
    }
    // Nothing has been changed on the way, and what was there before is still.
    expect(admin.log().filter(({ method }) => method !== "GET")).toEqual([]);
    expect(bench.on(singles.c.args.branchId).map(({ id }) => id)).toEqual([there.id]);
  },
);
