/**
 * templates/: the starting programs of `pulumi new` and `init`. Written by hand, except for this package's version and
 * place, which `pulumi new` uses as they are.
 */
import { readFileSync } from "node:fs";
import { pulumiRangeFor } from "../../cli/init/template";
import { identity } from "../pack/identity.mjs";
import { released } from "../release/released.mjs";

/** Node's oldest supported version, whose packages run on later ones too. */
const OLDEST_NODE = "20.19.0";

type Change = (text: string) => string;

/** The template files with a version or place, by path, for packages of this version. */
export function templates(version: string): Record<string, () => string> {
  const { pluginUrl, goModule, repository } = identity;
  const clone = "PATH-TO/pulumi-pgcompute";
  const install = released
    ? `pulumi plugin install resource pgcompute v${version} --server ${pluginUrl}`
    : `export PATH=PATH-TO/pulumi-pgcompute/bin:$PATH`;
  const add = `pulumi package add ${released ? repository : clone}`;

  const parts: Record<string, Change> = {
    "typescript/Pulumi.yaml": quickstart(
      released ? undefined : `npm config set install-links=true --location=project && npm install ${clone}`,
    ),
    "typescript/package.json": dependencies({
      "@pulumi/pulumi": pulumiRangeFor(OLDEST_NODE),
      // Before a release no registry has it, and the command above adds it.
      "pulumi-pgcompute": released ? `^${version}` : undefined,
    }),
    "yaml/Pulumi.yaml": quickstart(install),
    "python/Pulumi.yaml": quickstart(add),
    "go/Pulumi.yaml": quickstart(add),
    "go/main.go": (text) => text.replace(/".*\/sdk\/go\/pgcompute"/, () => `"${goModule}"`),
  };
  const all = Object.entries(parts).map(([name, change]) => {
    const file = `templates/${name}`;
    return [file, () => change(readFileSync(file, "utf8"))] as const;
  });
  return Object.fromEntries(all);
}

/** Sets what `pulumi new` says to do first. */
function quickstart(command: string | undefined): Change {
  const line = command === undefined ? "" : `  quickstart: "First: ${command}"\n`;
  return (text) => text.replace(/^ {2}quickstart: .*\n/m, "").replace(/^ {2}description: .*\n/m, (one) => one + line);
}

function dependencies(own: Record<string, string | undefined>): Change {
  return (text) => `${JSON.stringify({ ...JSON.parse(text), dependencies: own }, null, 2)}\n`;
}
