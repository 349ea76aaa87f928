import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { npm, npmCommand } from "../../../tools/npm.mjs";

const here = join("tools", "node");
const script = join("tools", "node_modules", "npm", "bin", "npm-cli.js");

describe("npm", () => {
  it.each([
    ["npm itself where that is a program", "linux", {}, ["npm", ["ci"]]],
    ["node with npm's script on Windows, without a shell", "win32", {}, [here, [script, "ci"]]],
    ["node with the npm that runs this", "linux", { npm_execpath: "/x/npm-cli.js" }, [here, ["/x/npm-cli.js", "ci"]]],
    ["not another package manager that runs this", "win32", { npm_execpath: "C:\\yarn.js" }, [here, [script, "ci"]]],
  ])("is run by %s", (_, platform, env, command) => {
    expect(npmCommand(["ci"], { platform, execPath: here, env })).toEqual(command);
  });

  it("answers what npm wrote, or fails with its words", () => {
    expect(npm(["--version"])).toMatch(/^\d+\.\d+\.\d+\s$/);
    expect(() => npm(["pack", "/no/such/folder"])).toThrow(/^npm pack failed \(exit code \d+\):\n.*such/s);
  });
});
