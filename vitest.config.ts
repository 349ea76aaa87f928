import { defineConfig } from "vitest/config";

// Three projects: what is fast and pure, what talks to the emulator, and what drives the real engine.
export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["tests/unit/**/*.test.ts"] } },
      { test: { name: "emulator", include: ["tests/emulator/**/*.test.ts"] } },
      {
        test: {
          name: "engine",
          include: ["tests/engine/**/*.test.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          globalSetup: ["tests/engine/support/setup.ts"],
        },
      },
    ],
  },
});
