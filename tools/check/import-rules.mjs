/**
 * Which part may import which. Imports go one way, Pulumi's packages stop at provider/pulumi, and provider and emulator
 * never import each other, so that no mistake is shared.
 */
import { emulatorImportRules } from "./emulator-import-rules.mjs";

/** Each part of the provider with the parts that it may use: the layers, lowest first. Any may use `version.ts`. */
const parts = {
  lib: [],
  platform: ["lib"],
  config: ["lib", "platform"],
  endpoint: ["lib", "platform"],
  places: ["lib", "platform", "endpoint"],
  fleet: ["lib", "platform", "endpoint", "places"],
  functions: ["lib", "platform", "endpoint"],
  pulumi: ["lib", "platform", "config", "endpoint", "places", "fleet", "functions"],
};

const names = Object.keys(parts).join("|");

const oneWay = Object.entries(parts).map(([part, uses]) => ({
  name: `${part}-imports`,
  comment: `provider/${part} may import ${uses.length > 0 ? uses.join(", ") : "nothing of the provider"} besides itself`,
  severity: "error",
  from: { path: `^provider/${part}/` },
  to: { path: "^provider/", pathNot: `^provider/(${[part, ...uses].join("|")})/|^provider/version\\.ts$` },
}));

/** The tests that speak to a provider as its hosts do, on a model of the engine, and what they share. */
export const modelFolders = ["tests/engine-model", "tests/programs", "tests/faults", "tests/support"];

/** What these know of the provider: the two hosts, and the platform's client with an account and a clock on it. */
const border = [
  "pulumi/session",
  "pulumi/plugin/service",
  "pulumi/dynamic/provider",
  "platform/(account|api|client|records|profiles/profiles|http/transport)",
  "lib/clock",
].join("|");

/** The rules for dependency-cruiser. Paths are relative to the clone; type imports count. */
export const importRules = [
  ...oneWay,
  ...emulatorImportRules,
  {
    name: "known-parts",
    comment: "a folder of provider/ that has no place in tools/check/import-rules.mjs yet",
    severity: "error",
    from: { path: "^provider/[^/]+/", pathNot: `^provider/(${names})/` },
    to: {},
  },
  {
    name: "main-starts-the-plugin",
    comment: "provider/main.ts starts the plugin and nothing else",
    severity: "error",
    from: { path: "^provider/main\\.ts$" },
    to: { path: "^provider/", pathNot: "^provider/pulumi/plugin/|^provider/version\\.ts$" },
  },
  {
    name: "pulumi-stops-at-provider-pulumi",
    comment: "only provider/pulumi and the SDK know Pulumi's packages",
    severity: "error",
    from: { path: "^(provider|emulator|cli)/", pathNot: "^provider/pulumi/" },
    to: { path: "(^|node_modules/)(@pulumi|@grpc|google-protobuf)(/|$)" },
  },
  {
    name: "provider-knows-no-emulator",
    comment: "the provider and the SDK never import the emulator, tests, tools or examples",
    severity: "error",
    from: { path: "^(provider|sdk)/" },
    to: { path: "^(emulator|tests|tools|examples)/" },
  },
  {
    name: "emulator-knows-no-provider",
    comment: "the emulator and its tests never import the provider, the SDK, the command line or examples",
    severity: "error",
    from: { path: "^emulator/" },
    to: { path: "^(provider|sdk|cli|examples)/" },
  },
  {
    name: "emulator-stands-alone",
    comment: "the emulator never imports tests or tools",
    severity: "error",
    from: { path: "^emulator/", pathNot: "^emulator/tests/" },
    to: { path: "^(emulator/)?tests/|^tools/" },
  },
  {
    name: "provider-knows-no-sdk",
    comment: "the SDK stands on the provider, not the other way round",
    severity: "error",
    from: { path: "^provider/" },
    to: { path: "^sdk/" },
  },
  {
    name: "sdk-has-no-logic",
    comment:
      "the SDK imports types, the dynamic host and the tables of properties and sizes: what it does belongs to the provider",
    severity: "error",
    from: { path: "^sdk/" },
    to: {
      path: "^provider/",
      pathNot:
        "^provider/pulumi/dynamic/|^provider/endpoint/(outputs|properties|rules/compute-size)\\.ts$|^provider/version\\.ts$",
      dependencyTypesNot: ["type-only"],
    },
  },
  {
    name: "cli-imports",
    comment:
      "the command line stands beside provider/pulumi, not on it: lib, platform, config, endpoint, fleet, functions",
    severity: "error",
    from: { path: "^cli/" },
    to: {
      path: "^(provider|sdk|emulator|tests|tools|examples)/",
      pathNot: "^provider/(lib|platform|config|endpoint|fleet|functions)/|^provider/version\\.ts$",
    },
  },
  {
    name: "nothing-needs-the-cli",
    comment: "the command line is the top: nothing imports it",
    severity: "error",
    from: { path: "^(provider|sdk)/" },
    to: { path: "^cli/" },
  },
  {
    name: "models-stop-at-the-border",
    comment:
      "what plays on the model of the engine speaks to the provider as a host does, and imports nothing inside it",
    severity: "error",
    from: { path: `^(${modelFolders.join("|")})/`, pathNot: "^tests/support/call-context\\.ts$" },
    to: { path: "^provider/|^tests/support/call-context\\.ts$", pathNot: `^provider/(${border})\\.ts$` },
  },
  {
    name: "no-circle",
    comment: "modules that need each other, by a type too, are one module or three",
    severity: "error",
    from: { path: "^(provider|sdk|cli)/" },
    to: { circular: true },
  },
];
