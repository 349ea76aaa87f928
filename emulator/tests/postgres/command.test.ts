import type { Emulator } from "pgcompute-emulator";
import { describe, expect, it } from "vitest";
import { run } from "../support/command";
import { isRoot, newFolder, start } from "./support/open-postgres";

describe("the command line with servers", () => {
  it.each([
    ["endpoint", (emulator: Emulator) => emulator.admin.dropEndpoint(emulator.endpointId), /^endpoint {2}$/m],
    ["project", (emulator: Emulator) => emulator.admin.deleteProject(emulator.projectId), /^data.*\nadmin/m],
  ])("starts where the only %s was deleted, and says that contents wait", async (_, remove, shown) => {
    const data = newFolder();
    const first = await start({ data });
    remove(first);
    await first.close();
    const { shows, child, ended } = run(["--postgres", "--data", data, "--port", "0", "--branch", "dev"]);
    await shows(/console/);
    child.kill("SIGTERM");
    const { code, output } = await ended;
    expect(code).toBe(0);
    expect(output).toMatch(shown);
    expect(output).toMatch(/goes on with what is there/);
    expect(output).toMatch(
      /^data {6}goes on with (1 project, 1 branch, 0 endpoints|0 projects, 0 branches, 0 endpoints)$/m,
    );
    expect(output).not.toMatch(/^postgres|dev/m);
  });

  it.runIf(isRoot)("prints the lines to set as root, which it gives up (tried as root alone)", async () => {
    const { shows } = run(["--postgres", "--port", "0", "--write-config"]);
    const output = await shows(/config set pgcompute:platform \S+\n/);
    expect(output).toMatch(/root was given up, .*\n {2}pulumi config set pgcompute:baseUrl http:\S+\n/);
  });

  it("names the flag of the port that is taken", async () => {
    const { postgres } = await start();
    const { code, output } = await run(["--postgres", "--port", "0", "--pg-port", `${postgres?.port}`]).ended;
    expect(code).toBe(1);
    expect(output).toMatch(`something listens at 127.0.0.1:${postgres?.port} already`);
    expect(output).toMatch(/give --pg-port another number/);
  });
});
