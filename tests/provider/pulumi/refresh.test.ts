/** What a refresh says of what it found: that it is for the next up, since a refresh changes nothing. */
import { expect, it } from "vitest";
import { useStack } from "../../engine-model/stack";
import type { Values } from "../../engine-model/words";

const PREFIX = "the next up would put this back: ";

it.each<[string, Values, RegExp]>([
  [
    "another size",
    { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 },
    /^warn main: the next up would put this back: restarts the endpoint: open connections are dropped; size 1 CU -> 2 CU/,
  ],
  [
    "another delay",
    { suspend_timeout_seconds: 60 },
    /^info main: the next up would put this back: no restart; connections stay/,
  ],
])("of %s a refresh says what the next up would do, and the up says that it does it", async (_, change, said) => {
  const { stack, single, branch, admin, bench } = await useStack();
  const program = { main: single(branch(), { sizeCu: 2, suspendTimeoutSeconds: 600 }) };
  await stack.up(program);
  const [id = ""] = Object.values(stack.ids());
  admin.changeEndpoint(id, change);
  await bench.clock.pass(1_000);
  const run = await stack.refresh();
  expect(run.said.filter((line) => line.includes(PREFIX))).toEqual([expect.stringMatching(said)]);
  const { said: planned } = await stack.preview(program);
  expect(planned.join("\n")).not.toContain(PREFIX);
});

it("an up that refreshes first says both, each once", async () => {
  const { stack, single, branch, admin, bench } = await useStack();
  const program = { main: single(branch(), { sizeCu: 2 }) };
  await stack.up(program);
  const [id = ""] = Object.values(stack.ids());
  admin.changeEndpoint(id, { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 });
  await bench.clock.pass(1_000);
  const process = stack.process();
  await stack.refresh({ process });
  const { said } = await stack.up(program, { process });
  const lines = said.filter((line) => line.includes("restarts the endpoint"));
  expect(lines.map((line) => line.includes(PREFIX))).toEqual([true, false]);
});

it("a refresh that found nothing says nothing", async () => {
  const { stack, single, branch } = await useStack();
  await stack.up({ main: single(branch(), { sizeCu: 2 }) });
  expect((await stack.refresh()).said).toEqual([]);
});
