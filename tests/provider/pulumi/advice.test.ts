/** What messages about settings and bounds name, done as they say it. */
import { expect, it, onTestFinished } from "vitest";
import { openConfigured } from "../../../provider/config/open";
import { resolveConfig } from "../../../provider/config/resolve";
import { useMain } from "../../engine-model/stack";
import type { Bench } from "../../support/bench";
import { commandIn } from "../../support/commands";

type Strike = Parameters<Bench["emulator"]["admin"]["addFault"]>[0];

/** An account of this configuration. */
function configured(bench: Bench, config: Record<string, string>) {
  const { apiKey, url } = bench.emulator;
  const { settings, failures } = resolveConfig({ apiKey, baseUrl: url, ...config }, {});
  if (!settings) throw new Error(JSON.stringify(failures));
  const account = openConfigured(settings, () => undefined, { clock: bench.clock, random: () => 0.5 });
  onTestFinished(() => account.api.close());
  return account;
}

interface Provoked {
  config?: Record<string, string>;
  fault?: Strike;
}

const settings: Record<string, Provoked> = {
  requestTimeoutSeconds: {
    config: { requestTimeoutSeconds: "0.02" },
    fault: { route: "endpoints.list", effect: { kind: "stall-headers" } },
  },
  maxRequestsPerSecond: { fault: { route: "*", effect: { kind: "status", status: 429 } } },
};

it.each(Object.entries(settings))("a setting that a message names helps: %s", async (name, { config, fault }) => {
  const { bench, stack, admin, main } = await useMain();
  if (fault) admin.addFault(fault);
  const { error } = await stack.preview(main(), { account: configured(bench, { ...config }) });
  const command = commandIn(String(error?.message), name);
  const [, key = "", value = ""] = command.match(/^pulumi config set pgcompute:(\w+) (\S+)$/) ?? [];
  // What is named besides is to run it again, later.
  admin.clearFaults();
  await bench.clock.pass(600_000);
  const mended = configured(bench, { ...config, [key]: value });
  expect((await stack.preview(main(), { account: mended })).messages).toEqual([]);
});

it("a change whose time is over goes on when it is run again", async () => {
  const { stack, main, idsOn, branchId } = await useMain();
  expect((await stack.up(main(), { timeoutMs: 1 })).messages).toHaveLength(1);
  expect((await stack.up(main())).messages).toEqual([]);
  expect(idsOn(branchId)).toEqual([stack.ids().main]);
});

it("a platform that takes a move and does nothing fails it with what was sent and shown, and the setting that it names replaces", async () => {
  const { bench, stack, main, branch, branchId } = await useMain({ ignoredFields: ["branch_id"] });
  await stack.up(main());
  const { main: id } = stack.ids();
  const to = branch();
  const { messages } = await stack.up(main({ branchId: to }));
  expect(messages.join()).toContain(`branchId was sent as "${to}" and is shown as "${branchId}"`);
  expect(stack.ids().main).toBe(id);
  expect(commandIn(messages.join(), "pgcompute:moves")).toBe("pulumi config set pgcompute:moves replace");
  const account = configured(bench, { moves: "replace" });
  expect((await stack.preview(main({ branchId: to }), { account })).changes).toEqual({ main: "replace" });
});
