/** The pages for Pulumi's registry. */
import { type ConfigKey, configEnvironment, configModel } from "../../provider/config/model";
import { identity } from "../pack/identity.mjs";
import { released } from "../release/released.mjs";
import { jsonSchemaOf } from "./json-schema";
import { code, propertyRows, table } from "./reference/markdown";

const title = "Postgres Compute";

/** docs/_index.md: the package's front page in Pulumi's registry. */
export function registryIndex(): string {
  return registryPage(
    title,
    "Compute endpoints of a branchable Postgres platform (the API that Neon documents), with previews that say what a change does.",
    `
\`pgcompute\` manages the compute endpoints of a branchable Postgres platform, by the API that Neon documents: the read-write endpoint
that clients of a branch connect to, and the read replicas beside it. Previews refuse what the platform would refuse, and say what a change does to a
running endpoint. Projects, branches, roles and databases are managed elsewhere.

{{< chooser language "typescript,python,go,yaml" >}}
{{% choosable language typescript %}}

\`\`\`typescript
import { Endpoint } from "pulumi-pgcompute";

const primary = new Endpoint("primary", {
  projectId: "quiet-lake-12345678",
  branchId: "br-cold-night-12345678",
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 4,
});

export const host = primary.host;
\`\`\`

{{% /choosable %}}
{{% choosable language python %}}

\`\`\`python
import pulumi
import pulumi_pgcompute as pgcompute

primary = pgcompute.Endpoint("primary",
    project_id="quiet-lake-12345678",
    branch_id="br-cold-night-12345678",
    autoscaling_limit_min_cu=1,
    autoscaling_limit_max_cu=4)

pulumi.export("host", primary.host)
\`\`\`

{{% /choosable %}}
{{% choosable language go %}}

\`\`\`go
package main

import (
	"${identity.goModule}"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		primary, err := pgcompute.NewEndpoint(ctx, "primary", &pgcompute.EndpointArgs{
			ProjectId:             pulumi.String("quiet-lake-12345678"),
			BranchId:              pulumi.String("br-cold-night-12345678"),
			AutoscalingLimitMinCu: pulumi.Float64(1),
			AutoscalingLimitMaxCu: pulumi.Float64(4),
		})
		if err != nil {
			return err
		}
		ctx.Export("host", primary.Host)
		return nil
	})
}
\`\`\`

{{% /choosable %}}
{{% choosable language yaml %}}

\`\`\`yaml
resources:
  primary:
    type: pgcompute:index:Endpoint
    properties:
      projectId: quiet-lake-12345678
      branchId: br-cold-night-12345678
      autoscalingLimitMinCu: 1
      autoscalingLimitMaxCu: 4
outputs:
  host: \${primary.host}
\`\`\`

{{% /choosable %}}
{{< /chooser >}}

There is no example in C#: the SDK for .NET is generated from the schema, and this project has never compiled it.

Sources, further documents and an emulator to try it without an account: [${identity.homepage.replace("https://", "")}](${identity.homepage}).
`,
  );
}

/** docs/installation-configuration.md: the registry's page on installation and setup. */
export function installationPage(version: string): string {
  const rows = propertyRows(jsonSchemaOf(configModel, "output"), (name) => {
    const variable = configEnvironment[name as ConfigKey];
    return [variable === undefined ? "" : code(variable)];
  }).map(([key = "", type = "", variable = "", about = ""]) => [
    code(`pgcompute:${key.replaceAll("`", "")}`),
    type,
    variable,
    about,
  ]);
  return registryPage(
    `${title}: installation and configuration`,
    "How to install the pgcompute provider and set its key, address and limits.",
    `
## Installation
${released ? "" : `\n**Nothing is released yet**: this is how it will be. What works today is [a clone](${identity.homepage}#from-a-clone).\n`}
TypeScript programs need the npm package and no plugin. It comes from the git address of a release, or from npm (\`npm install pulumi-pgcompute\`):

\`\`\`
npm install "git+${identity.repository}#v${version}"
\`\`\`

For Python, Go and Java, and for .NET (generated, and never compiled by this project), Pulumi makes the SDK, and notes the plugin in the program. For YAML
it notes the plugin alone. It fetches the release's tag, which is built already, and needs Node.js (20.19 or newer) and npm for the package \`@pulumi/pulumi\`:

\`\`\`
pulumi package add ${identity.repository}@${version}
\`\`\`

In the address's place stands the folder of a clone or of the installed package (\`./node_modules/pulumi-pgcompute\`), which need Node.js and npm as well, or the executable of a clone
(\`bin/pulumi-resource-pgcompute\`), which needs Node.js, or of an unpacked plugin. The folder of an executable has to be on \`PATH\`.

Or the plugin comes from the files of a release, and needs neither on most machines:

\`\`\`
pulumi plugin install resource pgcompute ${version} --server ${identity.pluginUrl}
\`\`\`

The plugin for Linux and for Windows on x64 is one executable and needs no Node.js; on Linux it needs glibc 2.28 or newer. On macOS, and on Windows on arm64, it needs Node.js 20.19 or newer on
\`PATH\`. On Linux without glibc, such as Alpine, use the plugin of the npm package: \`bin/pulumi-resource-pgcompute\`, which needs Node.js as well.

## Configuration

The key of the account is required, and a secret:

\`\`\`
pulumi config set --secret pgcompute:apiKey
\`\`\`

or, for every run, by the environment:

\`\`\`
export PGCOMPUTE_API_KEY=...
\`\`\`

${table(["key", "type", "environment", "what it sets"], rows)}

An environment variable counts only where the configuration is silent. A key from the environment goes to the environment's address, the public platform or this
machine alone: where the configuration names another address, every command is refused before a request is sent. Set \`PGCOMPUTE_BASE_URL\` to that address beside the
key, for refresh and destroy too. A key that is configured goes to the address that is configured with it. A provider of the plugin that the program declares by itself takes the same keys as inputs, without
their namespace.
`,
  );
}

function registryPage(heading: string, description: string, text: string): string {
  const front = { title: heading, meta_desc: description, layout: "package" };
  const lines = Object.entries(front).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `---\n# For Pulumi's registry, from the first release on. Generated by \`make generate\`. Do not edit.\n${lines.join("\n")}\n---\n${text}`;
}
