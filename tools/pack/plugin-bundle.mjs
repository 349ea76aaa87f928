/** The plugin's bundle and schema with a release's values: version, download address, and package for npx. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import config from "../../rolldown.config.mjs";
import { root } from "../root.mjs";

/**
 * Builds both into the folder; dist/ stays as it is built in a clone.
 *
 * @param {string} folder
 * @param {string | undefined} url where the plugin's tarballs are: `https://...`, `github://...` or another one that the engine knows
 * @returns {Promise<{ bundle: string, schema: string }>} two files
 */
export async function bundleOfRelease(folder, url) {
  const plugin = [config].flat().find(({ input }) => input === "provider/main.ts");
  if (!plugin?.output || Array.isArray(plugin.output))
    throw new Error("rolldown.config.mjs has no entry for the plugin");
  const bundle = join(folder, "plugin.cjs");
  const schema = join(folder, "schema.json");
  const source = join(root, "schema.json");
  const own = JSON.parse(readFileSync(source, "utf8"));
  const text = `${JSON.stringify({ ...own, ...(url && { pluginDownloadURL: url }) }, null, 2)}\n`;
  writeFileSync(schema, text);
  const { output, ...input } = plugin;
  const withSchema = {
    name: "released-schema",
    load: (/** @type {string} */ id) => (id === source ? text : undefined),
  };
  // The notices cover all bundles, and are already in dist/.
  const others = [input.plugins].flat().filter((one) => !one || !("name" in one) || one.name !== "notices");
  const plugins = [withSchema, ...others];
  const { define, ...transform } = { define: {}, ...input.transform };
  // A release with an address is published.
  const released = url && { __PGCOMPUTE_PACKAGE__: JSON.stringify(`pulumi-pgcompute@${own.version}`) };
  const building = await rolldown({
    ...input,
    cwd: root,
    plugins,
    logLevel: "warn",
    transform: { ...transform, define: { ...define, ...released } },
  });
  try {
    await building.write({ ...output, file: bundle });
  } finally {
    await building.close();
  }
  return { bundle, schema };
}
