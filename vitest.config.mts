import { defineConfig } from "vitest/config";

// The built package stays as it is, loaded by node as a user's program loads it.
const server = { deps: { external: [/\/dist\/[^/]+\.[cm]js$/] } };

// A bound against hanging, not a measure: on a loaded machine a test may take many times its usual time.
const testTimeout = 120_000;

// One project for each kind of test: what needs no server, the provider against the emulator, the emulator itself, the
// emulator with Postgres servers, the provider under faults, pages in a real browser, the command line, and what drives the real engine.
export default defineConfig({
  test: {
    pool: "forks",
    projects: [
      { test: { name: "unit", include: ["tests/unit/**/*.test.ts"], testTimeout } },
      { test: { name: "provider", include: ["tests/provider/**/*.test.ts"], testTimeout } },
      {
        test: {
          name: "programs",
          include: ["tests/programs/**/*.test.ts"],
          setupFiles: ["tests/programs/support/setup.ts"],
          testTimeout,
        },
      },
      { test: { name: "emulator", include: ["tests/emulator/**/*.test.ts"], testTimeout } },
      // Each file has servers of its own.
      { test: { name: "postgres", include: ["tests/postgres/**/*.test.ts"], testTimeout, maxWorkers: 2 } },
      {
        test: { name: "faults", include: ["tests/faults/**/*.test.ts"], testTimeout, maxConcurrency: 5 },
      },
      {
        test: {
          name: "console",
          include: ["tests/console/**/*.test.ts"],
          testTimeout,
          // The first run may have to install the browser.
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: "cli",
          include: ["tests/cli/**/*.test.ts"],
          server,
          maxWorkers: 2,
          testTimeout: 300_000,
          // Its first run may have to install the browser.
          hookTimeout: 600_000,
          globalSetup: ["tests/engine/support/setup.ts"],
        },
      },
      {
        test: {
          name: "engine",
          include: ["tests/engine/**/*.test.ts"],
          server,
          // Each engine run is several processes, and a machine of two cores is the usual one.
          maxWorkers: 2,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          globalSetup: ["tests/engine/support/setup.ts"],
        },
      },
    ],
  },
});
