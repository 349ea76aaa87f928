/** An npm registry on this machine: installed once into the user's cache folder, by the versions of this folder's package-lock.json. */
import { createHash, randomBytes } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "../npm.mjs";
import { userCache } from "../root.mjs";

const files = ["package.json", "package-lock.json"];
const own = dirname(fileURLToPath(import.meta.url));

/**
 * Starts a registry that takes these packages from anybody and keeps them in the folder, and fetches all others from the registry that
 * npm is set to.
 *
 * @param {string} folder
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function startRegistry(folder) {
  const { runServer } = createRequire(join(installed(), "package.json"))("verdaccio");
  const everybody = "$all";
  const app = await runServer({
    self_path: folder,
    storage: join(folder, "storage"),
    uplinks: { configured: { url: npm(["config", "get", "registry"]).trim() } },
    packages: {
      "pulumi-pgcompute": { access: everybody, publish: everybody },
      "pgcompute-emulator": { access: everybody, publish: everybody },
      "**": { access: everybody, proxy: "configured" },
    },
    auth: {},
    web: { enable: false },
    log: { type: "stdout", format: "pretty", level: "fatal" },
  });
  await new Promise((resolve) => app.listen(0, "127.0.0.1", () => resolve(undefined)));
  return { url: `http://127.0.0.1:${app.address().port}`, close: () => app.close() };
}

function installed() {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(own, file)));
  const folder = join(userCache(), "registry", hash.digest("hex").slice(0, 12));
  if (existsSync(folder)) return folder;
  console.error("registry: npm ci, once for all clones");
  const partial = `${folder}.${process.pid}-${randomBytes(4).toString("hex")}.partial`;
  mkdirSync(partial, { recursive: true });
  try {
    for (const file of files) copyFileSync(join(own, file), join(partial, file));
    npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", partial]);
    renameSync(partial, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // else another clone was first
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}
