import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../../tools/root.mjs";

/** A package as the lock file has it; that the lock is what both package.json ask for is for `npm ci` to say. */
interface Locked {
  integrity?: string;
  dev?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
}

const read = (file: string) => readFileSync(join(root, file), "utf8");
const lock: { packages: Record<string, Locked> } = JSON.parse(read("package-lock.json"));
const { "": _, emulator: __, "node_modules/pgcompute-emulator": link, ...others } = lock.packages;
const packages = Object.entries(others);

it("are locked, each with its checksum, beside the emulator's, which is this tree's and of the same release", () => {
  const [provider, emulators] = ["package.json", "emulator/package.json"].map((file) => JSON.parse(read(file)));
  expect(provider).not.toHaveProperty("dependencies");
  expect(link).toEqual({ resolved: "emulator", link: true });
  const { version, license, engines } = provider;
  expect(emulators).toMatchObject({ version, license, engines });
  expect(packages.length).toBeGreaterThan(100);
  expect(packages.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? "")).map(([path]) => path)).toEqual([]);
});

it("need no install script: none that users get has one, and setup runs none", () => {
  const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript);
  expect(scripted.filter(([, { dev, optional }]) => !dev && !optional).map(([path]) => path)).toEqual([]);
  // esbuild's only looks for the binary that is there already, protobufjs's warns of versions. A further one is to be
  // looked at before it is let in.
  expect(scripted.filter(([, { optional }]) => !optional).map(([path]) => path)).toEqual([
    "emulator/node_modules/esbuild",
    "node_modules/esbuild",
    "node_modules/protobufjs",
  ]);
  expect(read("tools/setup.mjs")).toContain('["ci", "--ignore-scripts"]');
});

it("come from the registry that npm is set to, whichever that is", () => {
  expect(read("package-lock.json")).not.toMatch(/"resolved": (?!"emulator")/);
  expect(JSON.stringify(packages)).not.toMatch(/git\+|github:|file:/);
});
