/** Counts how often a call of the engine parses what it is given: each member once a side. */
import { expect, it, vi } from "vitest";
import * as parsing from "../../../provider/endpoint/parse-inputs";
import { FLEET_URN, useStack } from "../../engine-model/stack";

it("a Check of 1,000 members parses 1,000 new and 1,000 old, and their Diff 1,000", async () => {
  const { bench, stack, projectId, branches } = await useStack();
  const parsed = vi.spyOn(parsing, "parseInputs");
  const keys = branches(1_000).map((branchId, at) => [`pr-${at}`, { projectId, branchId, type: "read_only" }] as const);
  const olds = { endpoints: Object.fromEntries(keys) };
  const news = { endpoints: Object.fromEntries(keys.map(([key, inputs]) => [key, { ...inputs, sizeCu: 2 }])) };
  const { provider } = stack.process();

  const { inputs, failures } = await bench.run(provider.check({ urn: FLEET_URN, olds, news }));
  expect([failures, parsed.mock.calls.length]).toEqual([[], 2_000]);

  parsed.mockClear();
  const there = { urn: FLEET_URN, id: "fleet-00000000", oldInputs: olds, oldOutputs: {}, ignoreChanges: [] };
  await bench.run(provider.diff({ ...there, inputs }));
  expect(parsed).toHaveBeenCalledTimes(1_000);
  parsed.mockRestore();
});
