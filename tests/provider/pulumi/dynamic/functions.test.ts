import { runtime } from "@pulumi/pulumi";
import { expect, it, onTestFinished } from "vitest";
import { createEmulator, type Emulator } from "../../../../emulator";
import { invoke } from "../../../../provider/pulumi/dynamic/functions";

it("a stack with another configuration does not end the functions of one beside it", async () => {
  const [first, second] = [await useEmulator(), await useEmulator()];
  const ask = (emulator: Emulator) => {
    configure(emulator);
    return invoke("getBranch", { projectId: emulator.projectId });
  };
  const found = await Promise.all([ask(first), ask(second), ask(first)]);
  expect(found.map(({ id }) => id)).toEqual([first.branchId, second.branchId, first.branchId]);
});

async function useEmulator(): Promise<Emulator> {
  const emulator = await createEmulator();
  onTestFinished(() => emulator.close());
  return emulator;
}

/** Makes an emulator that of the stack whose program runs. */
function configure({ url, apiKey }: Emulator): void {
  runtime.setAllConfig({ "pgcompute:baseUrl": url, "pgcompute:apiKey": apiKey });
  onTestFinished(() => runtime.setAllConfig({}));
}
