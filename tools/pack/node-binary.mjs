/** A platform's pinned node: fetched once from the npm registry, checked, and cached in the user's cache folder. */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { extract } from "tar";
import { npm } from "../npm.mjs";
import { userCache } from "../root.mjs";
import { nodeVersion } from "./platforms.mjs";

/**
 * @param {import("./platforms.mjs").NodePackage} wanted
 * @returns {Promise<{ binary: string, licence: string }>} two files
 * @throws {Error} when it cannot be fetched, or is not what is pinned
 */
export async function nodeBinary(wanted) {
  // Named after the pin, so its contents were checked against it.
  const pin = createHash("sha256").update(wanted.integrity).digest("hex").slice(0, 12);
  const folder = join(userCache(), "node", `${wanted.name}-${nodeVersion}-${pin}`);
  if (!existsSync(folder)) await fetchNode(wanted, folder);
  const windows = join(folder, "bin", "node.exe");
  return { binary: existsSync(windows) ? windows : join(folder, "bin", "node"), licence: join(folder, "LICENSE") };
}

/**
 * @param {import("./platforms.mjs").NodePackage} wanted
 * @param {string} folder appears only when it is complete
 */
async function fetchNode({ name, integrity }, folder) {
  console.error(`pack: fetching ${name} ${nodeVersion}, once for all clones`);
  const partial = `${folder}.${process.pid}-${randomBytes(4).toString("hex")}.partial`;
  mkdirSync(partial, { recursive: true });
  try {
    const args = ["pack", "--silent", `${name}@${nodeVersion}`, "--pack-destination", partial];
    const tarball = join(partial, npm(args, { cwd: partial }).trim());
    const found = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
    if (found !== integrity) throw new Error(`${name} ${nodeVersion} is ${found}, and ${integrity} is pinned`);
    const wanted = (/** @type {string} */ path) => /^package\/(LICENSE|bin\/node(\.exe)?)$/.test(path);
    await extract({ file: tarball, cwd: partial, strip: 1, filter: wanted });
    rmSync(tarball);
    try {
      renameSync(partial, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error; // Another clone was first, with the same bytes.
    }
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}
