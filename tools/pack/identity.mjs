/**
 * The project's place and published names. None is decided or claimed yet (docs/releasing.md), so this is their only
 * source: `make generate` copies them to package.json, the schema, the registry's pages and the Go example.
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
  /** Where the engine finds a release's plugin tarballs. */
  pluginUrl: `github://api.${repository}`,
  /** What Pulumi calls the Go package that it generates for a program, by the repository; no module of that name is published. */
  goModule: `${repository}/sdk/go/pgcompute`,
  keywords: ["pulumi", "postgres", "neon", "database", "compute", "endpoint"],
};

// `node tools/pack/identity.mjs pluginUrl` prints one value for a workflow.
if (isScript(import.meta.url)) console.log(identity[/** @type {"pluginUrl"} */ (process.argv[2])]);
