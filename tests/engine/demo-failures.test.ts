import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { runDemo } from "../../tools/demo/demo";
import { cache } from "../../tools/root.mjs";

// Specification, section 7.

type Prepare = NonNullable<Parameters<typeof runDemo>[0]["prepare"]>;

it.each<[string, Prepare, RegExp[]]>([
  [
    "the engine fails",
    ({ admin }) =>
      admin.addFault({ on: "operation", action: "start_compute", effect: { kind: "fail", error: "no host" } }),
    [
      /The demo failed at step 2 of 9, "Up: both endpoints are created and started":/,
      /operation [0-9a-f-]+ \(start_compute\) ended as "failed" after 1 failure: no host/,
    ],
  ],
  [
    "the platform is not as the step says, though the engine is content",
    ({ admin, projectId }) => {
      const branch = admin.project(projectId).branches.find(({ name }) => name === "demo");
      admin.seedEndpoint(projectId, { id: "ep-strange-guest", branch_id: branch?.id ?? "", type: "read_only" });
    },
    [
      /The demo failed at step 1 of 9, "Preview: what the program would create":/,
      /nothing was changed on the platform: expected .*, found .*ep-strange-guest/,
    ],
  ],
])("make demo fails, says at which step and why, and still clears up, when %s", async (_, prepare, said) => {
  const before = { ...process.env };
  let text = "";
  const write = (piece: string) => {
    text += piece;
  };
  expect(await runDemo({ write, prepare })).toBe(false);
  expect(process.env).toEqual(before);
  for (const one of said) expect(text).toMatch(one);
  expect(text).not.toContain("All 9 steps");
  expect(readdirSync(cache).filter((name) => name.startsWith(`demo-${process.pid}-`))).toEqual([]);
});
