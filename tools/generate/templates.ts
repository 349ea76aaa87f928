/**
 * templates/: the starting programs of `pulumi new` and `init`. Written by hand, except for this package's version and
 * place.
 */
import { readFileSync } from "node:fs";
import { identity } from "../pack/identity.mjs";

/** The template files with a version or place, by path, for packages of this version. */
export function templates(version: string): Record<string, () => string> {
  const { pluginUrl, goModule, repository } = identity;
  const quickstart = (command: string) => [/quickstart: .*/, `quickstart: "First: ${command}"`] as const;
  const parts: Record<string, readonly [RegExp, string]> = {
    "typescript/package.json": [/"pulumi-pgcompute": ".*"/, `"pulumi-pgcompute": "^${version}"`],
    "yaml/Pulumi.yaml": quickstart(`pulumi plugin install resource pgcompute v${version} --server ${pluginUrl}`),
    "python/Pulumi.yaml": quickstart(`pulumi package add ${repository}`),
    "go/Pulumi.yaml": quickstart(`pulumi package add ${repository}`),
    "go/main.go": [/".*\/sdk\/go\/pgcompute"/, `"${goModule}"`],
  };
  const all = Object.entries(parts).map(([name, [part, text]]) => {
    const file = `templates/${name}`;
    return [file, () => readFileSync(file, "utf8").replace(part, () => text)] as const;
  });
  return Object.fromEntries(all);
}
