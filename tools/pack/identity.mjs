/**
 * Where this project lives, and under which names it is published. None of it is decided or claimed yet (docs/releasing.md), so all of it
 * stands here and nowhere else: `make generate` carries it to package.json, the schema, the registry's pages and the Go example.
 */
import { isScript } from "../root.mjs";

const owner = "pulumi-pgcompute";
const repository = `github.com/${owner}/pulumi-pgcompute`;

export const identity = {
  homepage: `https://${repository}`,
  repository: `https://${repository}`,
  bugs: `https://${repository}/issues`,
  /** On the main branch; the registry shows it beside the package's name. */
  logoUrl: `https://raw.githubusercontent.com/${owner}/pulumi-pgcompute/main/docs/pictures/logo.svg`,
  publisher: owner,
  /** Where the engine finds the plugin's tarballs of a release. */
  pluginUrl: `github://api.${repository}`,
  goModule: `${repository}/sdk/go/pgcompute`,
  keywords: ["pulumi", "postgres", "neon", "database", "compute", "endpoint"],
};

// `node tools/pack/identity.mjs pluginUrl` tells a workflow one of them.
if (isScript(import.meta.url)) console.log(identity[/** @type {"pluginUrl"} */ (process.argv[2])]);
