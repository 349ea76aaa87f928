/** The files of a new program: a primary and a replica on one branch, in TypeScript or in YAML. */
import { stringify } from "yaml";
import { defaultSizeLimits } from "../../provider/endpoint/rules/size";
import type { Target } from "./target";

/** The languages that there are programs in. */
export const languages = ["typescript", "yaml"] as const;

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

const IGNORED = "node_modules/\n";
const DESCRIPTION = "A branch's read-write endpoint, and a read replica beside it.";
const ADOPTS = "The branch has its endpoint already: it comes under management as it is.";

/** Every file of the program. */
export function programFiles(options: ProgramOptions): Files {
  const { name, target, baseUrl } = options;
  const largest = target.existing?.maxCu ?? 0;
  const settings = {
    ...(baseUrl !== undefined && { "pgcompute:baseUrl": baseUrl }),
    // What is there already is larger than the provider takes for granted.
    ...(largest > defaultSizeLimits.maxCu && { "pgcompute:maxSizeCu": String(largest) }),
    [`${name}:projectId`]: target.projectId,
    [`${name}:branch`]: target.branch,
  };
  const stack = { [`Pulumi.${STACK}.yaml`]: stringify({ config: settings }) };
  return { ...(options.language === "yaml" ? yamlFiles(options) : typescriptFiles(options)), ...stack };
}

function typescriptFiles({ name, target, packageSource, emulatorSource }: ProgramOptions): Files {
  const dependencies = { "@pulumi/pulumi": PULUMI_SDK, "pulumi-pgcompute": packageSource };
  const devDependencies = { "@types/node": "^20.0.0", ...emulatorIn(emulatorSource), typescript: "~5.9.0" };
  const compilerOptions = {
    target: "es2022",
    module: "commonjs",
    // Pulumi's own host takes another one for granted, which does not go with the module.
    moduleResolution: "node",
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  return {
    "Pulumi.yaml": stringify({ name, description: DESCRIPTION, runtime: "nodejs" }),
    "package.json": toJson({ name, private: true, main: "index.ts", dependencies, devDependencies }),
    "tsconfig.json": toJson({ compilerOptions, files: ["index.ts"] }),
    ".gitignore": IGNORED,
    "index.ts": typescriptProgram(target),
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

// Serves reads of the same data at a size of its own (paid plan).
const replica = new Endpoint(
  "replica",
  { projectId, branchId, type: "read_only", sizeCu: ${REPLICA_CU} },
  { dependsOn: primary },
);

export const host = primary.host;
export const replicaHost = replica.host;
`;
}

function yamlFiles({ name, target: { existing }, pluginPath, emulatorSource }: ProgramOptions): Files {
  const { minCu, maxCu } = existing ?? NEW_SIZE;
  const head = stringify({
    name,
    description: DESCRIPTION,
    runtime: "yaml",
    ...(pluginPath !== undefined && { plugins: { providers: [{ name: "pgcompute", path: pluginPath }] } }),
  });
  const program = `config:
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
${existing ? `      # ${ADOPTS}\n      adoptExisting: true\n` : ""}  # Serves reads of the same data at a size of its own (paid plan).
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
  const devDependencies = emulatorIn(emulatorSource);
  return {
    "Pulumi.yaml": `${head}${program}`,
    ...(devDependencies && {
      "package.json": toJson({ name, private: true, devDependencies }),
      ".gitignore": IGNORED,
    }),
  };
}

function emulatorIn(source: string | undefined) {
  return source === undefined ? undefined : { "pgcompute-emulator": source };
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
