import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "../../../tools/root.mjs";

/** The folders that an engine process works with. All absolute. */
export interface Folders {
  /** Holds `pulumi`. */
  bin: string;
  /** The program's folder: what the engine and its providers are started in. */
  program: string;
  /** The state, as plain files. */
  backend: string;
  /** What the engine keeps for its user: plugins, caches. */
  home: string;
}

/** Makes the folders of an engine below one of their own. */
export function makeFolders(bin: string, base: string): Folders {
  const folders = { program: join(base, "program"), backend: join(base, "backend"), home: join(base, "home") };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  return { bin, ...folders };
}

/**
 * The environment of an engine that touches nothing but the project's folders and reaches for nothing on the network.
 * Of the surrounding environment all stays but what would steer the engine, Node or the provider.
 */
export function engineEnvironment(folders: Folders): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    ([name, value]) =>
      value !== undefined && !/^(PULUMI_|PGCOMPUTE_|VITEST|NODE_OPTIONS$|NODE_ENV$|TEST$|.*_PROXY$)/i.test(name),
  ) as [string, string][];
  // The plugin of this tree, and the launcher of dynamic providers: the engine finds both on PATH by their names.
  const path = [folders.bin, join(root, "bin"), join(root, "node_modules/@pulumi/pulumi"), process.env.PATH ?? ""].join(
    delimiter,
  );
  return {
    ...Object.fromEntries(inherited),
    PATH: path,
    PULUMI_HOME: folders.home,
    PULUMI_BACKEND_URL: `file://${folders.backend}`,
    PULUMI_CONFIG_PASSPHRASE: "engine tests",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK: "true",
    // A second copy of the state after every step, which nobody reads here.
    PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
  };
}
