import { join } from "node:path";
import type { PulumiCommand, PulumiFn, Stack } from "@pulumi/pulumi/automation";
import { oldestEngine } from "../../../tools/engine/install.mjs";
import type { Folders } from "./environment";

/** Selects a stack with an inline program, by the Automation API; `run` starts the engine for it. */
export async function selectInline(
  { bin, program: workDir }: Folders,
  name: string,
  program: PulumiFn,
  run: (args: string[]) => Promise<unknown>,
): Promise<Stack> {
  // Not before it is needed: the API takes half a second to load.
  const { LocalWorkspace, Stack: AutomationStack } = await import("@pulumi/pulumi/automation");
  const command = {
    command: join(bin, "pulumi"),
    // All that is asked of it is its text.
    version: { toString: () => oldestEngine },
    async run(args: string[]) {
      // After each run the API asks for outputs and history by further processes, which nobody reads here.
      if (args[0] !== "stack") await run(args);
      return { stdout: args[1] === "history" ? "[]" : "{}", stderr: "", code: 0 };
    },
  };
  const pulumiCommand = command as unknown as PulumiCommand;
  return AutomationStack.select(name, await LocalWorkspace.create({ workDir, program, pulumiCommand }));
}

/** What the API has the engine started with. */
export const INLINE = { PULUMI_DEBUG_COMMANDS: "true", PULUMI_AUTOMATION_API: "true" };
