import { defineConfig } from "vitest/config";

// The built package stays as it is, loaded by node as a user's program loads it.
const server = { deps: { external: [/\/dist\/[^/]+\.[cm]js$/] } };

const usual = {
  // A bound against hanging, not a measure: on a loaded machine a test may take many times its usual time.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  // As much room for young objects as a thousand endpoints on an emulator take, which else costs half as much again in collections; and the
  // reader of HTTP as the plugin has it (provider/pulumi/plugin/server.ts).
  execArgv: ["--liftoff-only", "--min-semi-space-size=64", "--max-semi-space-size=128"],
};

// Files that change nothing but what they open: one process runs them all, and loads what they share once. Not for programs of the engine that
// run in the test's process: of one that failed something is left there, and a later one may register nothing. Nor for files with `vi.mock`: what
// an earlier file has loaded keeps the real module.
const shared = { isolate: false };

// These run the emulator's command as it is built.
const built = { globalSetup: ["emulator/tests/support/build.ts"] };

// These start engines, two at a time.
const engines = {
  server,
  maxWorkers: 2,
  // Those that run side by side within a file mostly wait for what does not answer.
  maxConcurrency: 12,
  ...usual,
  testTimeout: 300_000,
  // The first run of the command line's may have to install the browser.
  hookTimeout: 600_000,
  globalSetup: ["tests/engine/support/setup.ts"],
};

// What is played on the earlier engine, too: a life of each resource by both hosts, imports, `get`, a kill, and the review of what it prints.
const onEarlierEngine = [
  "tests/engine/cases/refresh.test.ts",
  "tests/engine/fleet/life.test.ts",
  "tests/engine/plugin/import.test.ts",
  "tests/engine/kills/engines.test.ts",
  "tests/cli/review-engine.test.ts",
];

// One project for each kind of test: what needs no server, the provider against the emulator, the emulator itself, the
// emulator with Postgres servers, the provider under faults, pages in a real browser, the command line, and what drives the real engine.
export default defineConfig({
  test: {
    pool: "forks",
    projects: [
      { test: { name: "unit", include: ["tests/unit/**/*.test.ts"], ...usual, ...shared } },
      {
        test: {
          name: "provider",
          include: ["tests/provider/**/*.test.ts", "tests/public/**/*.test.ts"],
          ...usual,
          ...shared,
        },
      },
      {
        test: {
          name: "programs",
          include: ["tests/programs/**/*.test.ts"],
          ...usual,
        },
      },
      { test: { name: "emulator", include: ["emulator/tests/api/**/*.test.ts"], ...usual, ...shared, ...built } },
      // Isolated for those that mock `node:fs`. Each file has servers of its own, of the package as it is built: as root an emulator is a process,
      // which starts sooner so.
      {
        test: {
          name: "postgres",
          include: ["emulator/tests/postgres/**/*.test.ts"],
          ...usual,
          ...built,
          server,
          maxWorkers: 2,
        },
      },
      {
        test: { name: "faults", include: ["tests/faults/**/*.test.ts"], ...usual, maxConcurrency: 5 },
      },
      {
        test: {
          name: "console",
          include: ["emulator/tests/console/**/*.test.ts"],
          ...usual,
          ...shared,
          // The first run may have to install the browser.
          hookTimeout: 600_000,
        },
      },
      { test: { name: "cli", include: ["tests/cli/**/*.test.ts"], ...engines } },
      { test: { name: "engine", include: ["tests/engine/**/*.test.ts"], ...engines } },
      {
        test: {
          name: "earlier",
          include: onEarlierEngine,
          ...engines,
          globalSetup: ["tests/engine/support/setup-earlier.ts"],
        },
      },
    ],
  },
});
