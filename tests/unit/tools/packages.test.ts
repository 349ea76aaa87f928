import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../../tools/root.mjs";

/** A package as the lock file has it. */
interface Locked {
  version?: string;
  integrity?: string;
  dev?: boolean;
  optional?: boolean;
  peer?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const read = (file: string) => readFileSync(join(root, file), "utf8");
const lock: { lockfileVersion: number; packages: Record<string, Locked> } = JSON.parse(read("package-lock.json"));
const { "": own, emulator, "node_modules/pgcompute-emulator": link, ...others } = lock.packages;
const packages = Object.entries(others);

it("are locked as the two package.json ask for them, each with its checksum", () => {
  const [provider, emulators] = ["package.json", "emulator/package.json"].map((file) => JSON.parse(read(file)));
  const { peerDependencies, devDependencies } = provider;
  expect(own).toMatchObject({ peerDependencies, devDependencies });
  expect(provider).not.toHaveProperty("dependencies");
  expect(emulator).toMatchObject({
    dependencies: emulators.dependencies,
    devDependencies: emulators.devDependencies,
    peerDependencies: emulators.peerDependencies,
  });
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
    "node_modules/esbuild",
    "node_modules/protobufjs",
  ]);
  expect(read("tools/setup.mjs")).toContain('["ci", "--ignore-scripts"]');
});

it("come from the registry that npm is set to, whichever that is", () => {
  expect(read("package-lock.json")).not.toMatch(/"resolved": (?!"emulator")/);
  expect(JSON.stringify(packages)).not.toMatch(/git\+|github:|file:/);
});
