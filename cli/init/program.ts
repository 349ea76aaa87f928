/** The files of a new program: a primary and a replica on one branch. `init` writes them, and `make generate` the templates for `pulumi new`. */
import { stringify } from "yaml";
import type { Profile } from "../../provider/platform/profiles/profile";
import { limitsOf } from "../../provider/platform/profiles/profiles";
import type { Target } from "./target";

/** The languages that there are programs in. */
export const languages = ["typescript", "yaml", "python", "go"] as const;

/** One of them. */
export type Language = (typeof languages)[number];

/** What a program is written for. */
export interface ProgramOptions {
  /** The Pulumi project's name. */
  name: string;
  language: Language;
  target: Target;
  /** Where that is not the public platform's. */
  baseUrl?: string | undefined;
  /** What package.json says of this package: a version, or a folder. */
  packageSource: string;
  /** The folder of the plugin's executable, from the program's; absent for an installed plugin. */
  pluginPath?: string | undefined;
  /** What package.json says of the emulator; absent for a program with an account. */
  emulatorSource?: string | undefined;
  /** The Go module that `pulumi package add` generates. */
  goModule: string;
  /** What `pulumi new` asks for, in a template. */
  template?: object | undefined;
}

/** Texts by file name. */
export type Files = Readonly<Record<string, string>>;

/** The stack that the program begins with. */
export const STACK = "dev";

/** A new primary scales between these, in CU. */
const NEW_SIZE = { minCu: 0.25, maxCu: 1 };
const REPLICA_CU = 0.25;
/** The first version of Pulumi's SDK whose dynamic resources can be refreshed whole. */
const PULUMI_SDK = "^3.216.0";

const PYTHON_SDK = "pulumi>=3.231.0,<4";
const GO = "1.25";
const GO_SDK = "github.com/pulumi/pulumi/sdk/v3 v3.259.0";

/** The folder in which a program's emulator keeps what it has. */
export const EMULATOR_DATA = ".emulator";

const compilerOptions = {
  target: "es2022",
  module: "commonjs",
  // Pulumi's own host takes another one for granted, which does not go with the module.
  moduleResolution: "node",
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

const DESCRIPTION = "A branch's read-write endpoint, and a read replica beside it.";
const ADOPTS = "The branch has its endpoint already: it comes under management as it is.";

const programs: Readonly<Record<Language, (options: ProgramOptions) => { runtime: unknown; files: Files }>> = {
  typescript: ({ target }) => ({
    runtime: "nodejs",
    files: { "tsconfig.json": toJson({ compilerOptions, files: ["index.ts"] }), "index.ts": typescriptProgram(target) },
  }),
  yaml: () => ({ runtime: "yaml", files: {} }),
  python: ({ target }) => ({
    runtime: { name: "python", options: { toolchain: "pip", virtualenv: "venv" } },
    files: { "requirements.txt": `${PYTHON_SDK}\n`, "__main__.py": pythonProgram(target) },
  }),
  go: ({ target, name, goModule }) => ({
    runtime: "go",
    files: { "go.mod": `module ${name}\n\ngo ${GO}\n\nrequire ${GO_SDK}\n`, "main.go": goProgram(target, goModule) },
  }),
};

/** Every file of the program, whose stack is for this platform. */
export function programFiles(options: ProgramOptions & { profile: Profile }): Files {
  const { name, target, profile, baseUrl } = options;
  const largest = target.existing?.maxCu ?? 0;
  const settings = {
    ...(baseUrl !== undefined && { "pgcompute:baseUrl": baseUrl }),
    "pgcompute:platform": profile.name,
    // What is there already is larger than the provider takes for granted.
    ...(largest > limitsOf(profile, undefined).largestCu && { "pgcompute:maxSizeCu": String(largest) }),
    [`${name}:projectId`]: target.projectId,
    [`${name}:branch`]: target.branch,
  };
  const stack = { [`Pulumi.${STACK}.yaml`]: stringify({ config: settings }) };
  return { ...ownFiles(options), ...stack };
}

/** The files of a template for `pulumi new`, which puts the project's name in and asks for the configuration. */
export function templateFiles(options: Pick<ProgramOptions, "language" | "packageSource" | "goModule">, next?: string) {
  const template = {
    description: DESCRIPTION,
    ...(next !== undefined && { quickstart: next }),
    config: {
      projectId: { description: "The project's id" },
      branch: { description: "The name of a branch without a read-write endpoint" },
      "pgcompute:apiKey": { description: "The platform's API key", secret: true },
    },
  };
  return ownFiles({ ...options, name: placeholder("PROJECT"), target: { projectId: "", branch: "" }, template });
}

function ownFiles(options: ProgramOptions): Files {
  const { name, language, target, packageSource, pluginPath, emulatorSource } = options;
  const { runtime, files } = programs[language](options);
  const isTypescript = language === "typescript";
  const head = {
    name,
    description: options.template ? placeholder("DESCRIPTION") : DESCRIPTION,
    runtime,
    // A package.json that is there may name another program.
    ...(isTypescript && { main: "index.ts" }),
    ...(language === "yaml" &&
      pluginPath !== undefined && { plugins: { providers: [{ name: "pgcompute", path: pluginPath }] } }),
    ...(options.template && { template: options.template }),
  };
  const dependencies = { "@pulumi/pulumi": PULUMI_SDK, "pulumi-pgcompute": packageSource };
  const devDependencies = {
    ...(isTypescript && { "@types/node": "^20.0.0" }),
    ...(emulatorSource !== undefined && { "pgcompute-emulator": emulatorSource }),
    ...(isTypescript && { typescript: "~5.9.0" }),
  };
  return {
    "Pulumi.yaml": stringify(head) + (language === "yaml" ? yamlProgram(target) : ""),
    ...((isTypescript || emulatorSource !== undefined) && {
      "package.json": toJson({
        name,
        private: true,
        ...(isTypescript && { dependencies }),
        devDependencies,
      }),
    }),
    ".gitignore": `node_modules/\nvenv/\nsdks/\n${EMULATOR_DATA}/\n`,
    ...files,
  };
}

function typescriptProgram({ existing }: Target): string {
  const { minCu, maxCu } = existing ?? NEW_SIZE;
  return `import { Config } from "@pulumi/pulumi";
import { Endpoint, getBranchOutput } from "pulumi-pgcompute";

const config = new Config();
const projectId = config.require("projectId");
const branchId = getBranchOutput({ projectId, name: config.require("branch") }).id;

// Takes reads and writes, and scales with its load between the two sizes, in compute units.
const primary = new Endpoint("primary", {
  projectId,
  branchId,
  autoscalingLimitMinCu: ${minCu},
  autoscalingLimitMaxCu: ${maxCu},
${existing ? `  // ${ADOPTS}\n  adoptExisting: true,\n` : ""}});

// Serves reads of the same data at a size of its own.
const replica = new Endpoint(
  "replica",
  { projectId, branchId, type: "read_only", sizeCu: ${REPLICA_CU} },
  { dependsOn: primary },
);

export const host = primary.host;
export const replicaHost = replica.host;
`;
}

function yamlProgram({ existing }: Target): string {
  const { minCu, maxCu } = existing ?? NEW_SIZE;
  return `config:
  projectId: { type: string }
  branch: { type: string }
variables:
  target:
    fn::invoke:
      function: pgcompute:index:getBranch
      arguments: { projectId: "\${projectId}", name: "\${branch}" }
resources:
  # Takes reads and writes, and scales with its load between the two sizes, in compute units.
  primary:
    type: pgcompute:index:Endpoint
    properties:
      projectId: \${projectId}
      branchId: \${target.id}
      autoscalingLimitMinCu: ${minCu}
      autoscalingLimitMaxCu: ${maxCu}
${existing ? `      # ${ADOPTS}\n      adoptExisting: true\n` : ""}  # Serves reads of the same data at a size of its own.
  replica:
    type: pgcompute:index:Endpoint
    properties:
      projectId: \${projectId}
      branchId: \${target.id}
      type: read_only
      sizeCu: ${REPLICA_CU}
    options:
      dependsOn: ["\${primary}"]
outputs:
  host: \${primary.host}
  replicaHost: \${replica.host}
`;
}

function pythonProgram({ existing }: Target): string {
  const { minCu, maxCu } = existing ?? NEW_SIZE;
  return `import pulumi
import pulumi_pgcompute as pgcompute

config = pulumi.Config()
project_id = config.require("projectId")
branch_id = pgcompute.get_branch(project_id=project_id, name=config.require("branch")).id

# Takes reads and writes, and scales with its load between the two sizes, in compute units.
primary = pgcompute.Endpoint(
    "primary",
    project_id=project_id,
    branch_id=branch_id,
    autoscaling_limit_min_cu=${minCu},
    autoscaling_limit_max_cu=${maxCu},
${existing ? `    # ${ADOPTS}\n    adopt_existing=True,\n` : ""})

# Serves reads of the same data at a size of its own.
replica = pgcompute.Endpoint(
    "replica",
    project_id=project_id,
    branch_id=branch_id,
    type=pgcompute.EndpointType.READ_ONLY,
    size_cu=${REPLICA_CU},
    opts=pulumi.ResourceOptions(depends_on=[primary]),
)

pulumi.export("host", primary.host)
pulumi.export("replicaHost", replica.host)
`;
}

function goProgram({ existing }: Target, goModule: string): string {
  const { minCu, maxCu } = existing ?? NEW_SIZE;
  return `package main

import (
	"${goModule}"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		cfg := config.New(ctx, "")
		projectID := cfg.Require("projectId")
		name := cfg.Require("branch")
		branch, err := pgcompute.GetBranch(ctx, &pgcompute.GetBranchArgs{ProjectId: projectID, Name: &name})
		if err != nil {
			return err
		}

		// Takes reads and writes, and scales with its load between the two sizes, in compute units.
		primary, err := pgcompute.NewEndpoint(ctx, "primary", &pgcompute.EndpointArgs{
			ProjectId:             pulumi.String(projectID),
			BranchId:              pulumi.String(branch.Id),
			AutoscalingLimitMinCu: pulumi.Float64(${minCu}),
			AutoscalingLimitMaxCu: pulumi.Float64(${maxCu}),
${existing ? `			// ${ADOPTS}\n			AdoptExisting: pulumi.Bool(true),\n` : ""}		})
		if err != nil {
			return err
		}

		// Serves reads of the same data at a size of its own.
		replica, err := pgcompute.NewEndpoint(ctx, "replica", &pgcompute.EndpointArgs{
			ProjectId: pulumi.String(projectID),
			BranchId:  pulumi.String(branch.Id),
			Type:      pgcompute.EndpointTypeReadOnly,
			SizeCu:    pulumi.Float64(${REPLICA_CU}),
		}, pulumi.DependsOn([]pulumi.Resource{primary}))
		if err != nil {
			return err
		}

		ctx.Export("host", primary.Host)
		ctx.Export("replicaHost", replica.Host)
		return nil
	})
}
`;
}

/** What `pulumi new` puts its own text in the place of. */
function placeholder(name: string): string {
  return `\${${name}}`;
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
