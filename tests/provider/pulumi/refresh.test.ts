/** What a refresh says of what it found: that it is for the next up, since a refresh changes nothing. */
import { expect, it } from "vitest";
import { useStack } from "../../engine-model/stack";
import type { Values } from "../../engine-model/words";

const PREFIX = "if the program still says what the last up applied, the next one puts this back: ";

it.each<[string, Values, RegExp]>([
  [
    "another size",
    { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 },
    /: restarts the endpoint: open connections are dropped; size 1 CU -> 2 CU/,
  ],
  ["another delay", { suspend_timeout_seconds: 60 }, /: no restart; connections stay/],
])("of %s a refresh says what the next up would do, and the up says that it does it", async (_, change, said) => {
  const { stack, single, branch, admin, bench } = await useStack();
  const program = { main: single(branch(), { sizeCu: 2, suspendTimeoutSeconds: 600 }) };
  await stack.up(program);
  const [id = ""] = Object.values(stack.ids());
  admin.changeEndpoint(id, change);
  await bench.clock.pass(1_000);
  const run = await stack.refresh();
  // No warning: the refresh itself cuts nothing.
  const lines = run.said.filter((line) => line.startsWith(`info main: ${PREFIX}`));
  expect(lines).toEqual([expect.stringMatching(said)]);
  expect(run.said.filter((line) => line.startsWith("warn"))).toEqual([]);
  const { said: planned } = await stack.preview(program);
  expect(planned.join("\n")).not.toContain(PREFIX);
});

it("an up that refreshes first warns once", async () => {
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
  expect(lines).toEqual([
    expect.stringMatching(`^info main: ${PREFIX}`),
    expect.stringMatching(/^warn main: restarts the endpoint/),
  ]);
});

it("a refresh that found nothing says nothing", async () => {
  const { stack, single, branch } = await useStack();
  await stack.up({ main: single(branch(), { sizeCu: 2 }) });
  expect((await stack.refresh()).said).toEqual([]);
});
