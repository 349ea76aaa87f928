import { defineConfig } from "vitest/config";

// The built package stays as it is, loaded by node as a user's program loads it.
const server = { deps: { external: [/\/dist\/[^/]+\.[cm]js$/] } };

// Three projects: what is fast and pure, what talks to the emulator, and what drives the real engine.
export default defineConfig({
  test: {
    pool: "forks",
    projects: [
      { test: { name: "unit", include: ["tests/unit/**/*.test.ts"] } },
      { test: { name: "emulator", include: ["tests/emulator/**/*.test.ts"] } },
      {
        test: {
          name: "engine",
          include: ["tests/engine/**/*.test.ts"],
          server,
          // Each engine run is several processes, and a machine of two cores is the usual one.
          maxWorkers: 2,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: ["tests/engine/support/setup.ts"],
        },
      },
    ],
  },
});
