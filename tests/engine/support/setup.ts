import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { engineBin } from "../../../tools/engine/install.mjs";
import { linkSelf } from "../../../tools/link.mjs";
import { cache, root } from "../../../tools/root.mjs";
import { openKeyServer } from "./key-server";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder that holds `pulumi`. */
    engineBin: string;
    /** Where this run's projects go; under the clone, so that they find its node_modules. */
    engineRunFolder: string;
    /** Environment variables by which the engine finds the keys of its stacks. */
    engineKeys: Record<string, string>;
  }
}

/**
 * Before the engine tests: prepares the engine, the bundles from the current sources, and the links to them. Afterwards
 * removes the projects' folders, unless PGCOMPUTE_KEEP is set.
 */
export default async function setup(project: TestProject, findBin = engineBin): Promise<() => void> {
  if (!existsSync(join(root, "node_modules", "@pulumi", "pulumi"))) {
    throw new Error("the engine tests need the packages of package-lock.json: run `make setup` first");
  }
  linkSelf();
  execFileSync("make", ["--silent", "emulator/dist/cli.cjs"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  project.provide("engineBin", await findBin());
  const folder = join(cache, "engine-tests", `run-${process.pid}`);
  // Else the engine would take the clone for the programs' repository, and ask git about it in each run.
  mkdirSync(join(folder, ".git"), { recursive: true });
  project.provide("engineRunFolder", folder);
  const keys = await openKeyServer();
  project.provide("engineKeys", keys.env);
  return () => {
    keys.close();
    if (process.env.PGCOMPUTE_KEEP) console.error(`engine tests: kept ${folder}`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
}
