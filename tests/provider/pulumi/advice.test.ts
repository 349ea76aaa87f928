/** What messages about settings and bounds name, done as they say it. */
import { expect, it, onTestFinished } from "vitest";
import { openConfigured } from "../../../provider/config/open";
import { resolveConfig } from "../../../provider/config/resolve";
import { PartialError, PgComputeError } from "../../../provider/platform/errors";
import { check, create, diff, update } from "../../../provider/pulumi/endpoint/lifecycle";
import { messageFor } from "../../../provider/pulumi/messages/errors";
import { type Bench, useBench } from "../../support/bench";
import { commandIn } from "../../support/commands";

type Strike = Parameters<Bench["emulator"]["admin"]["addFault"]>[0];

/** A process of the provider with this configuration. */
function configured(bench: Bench, config: Record<string, string>) {
  const { apiKey, url } = bench.emulator;
  const { settings, failures } = resolveConfig({ apiKey, baseUrl: url, ...config }, {});
  if (!settings) throw new Error(JSON.stringify(failures));
  const account = openConfigured(settings, () => undefined, { clock: bench.clock, random: () => 0.5 });
  onTestFinished(() => account.api.close());
  return bench.context({ account });
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
  const bench = await useBench();
  const { admin, projectId } = bench.emulator;
  const news = { projectId, branchId: bench.branch() };
  if (fault) admin.addFault(fault);
  const error = await bench.fails(check(configured(bench, { ...config }), { news }));
  if (!(error instanceof PgComputeError)) throw error;
  const command = commandIn(messageFor(error), name);
  const [, key = "", value = ""] = command.match(/^pulumi config set pgcompute:(\w+) (\S+)$/) ?? [];
  // What is named besides is to run it again, later.
  admin.clearFaults();
  await bench.clock.pass(600_000);
  const mended = configured(bench, { ...config, [key]: value });
  expect((await bench.run(check(mended, { news }))).failures).toEqual([]);
});

it("a change whose time is over goes on when it is run again", async () => {
  const bench = await useBench();
  const { projectId } = bench.emulator;
  const inputs = { projectId, branchId: bench.branch(), type: "read_write" } as const;
  const deadlineMs = bench.clock.now();
  const error = await bench.fails(create({ ...configured(bench, {}), timeoutMs: 1_000, deadlineMs }, inputs));
  expect(error).toBeInstanceOf(PgComputeError);
  const { id } = await bench.run(create(configured(bench, {}), inputs));
  expect(bench.on(inputs.branchId).map((one) => `${projectId}/${one.id}`)).toEqual([id]);
});

it("a platform that takes a move and does nothing fails it with what was sent and shown, and the setting that it names replaces", async () => {
  const bench = await useBench({ ignoredFields: ["branch_id"] });
  const { projectId } = bench.emulator;
  const inputs = { projectId, branchId: bench.branch(), type: "read_write" } as const;
  const stored = await bench.run(create(configured(bench, {}), inputs));
  const news = { ...inputs, branchId: bench.branch() };
  const change = { ...stored, inputs: news, oldInputs: { ...inputs } };
  const error = await bench.fails(update(configured(bench, {}), change));
  if (!(error instanceof PartialError)) throw error;
  const message = messageFor(error);
  expect(message).toContain(`branchId was sent as "${news.branchId}" and is shown as "${inputs.branchId}"`);
  expect(error.id).toBe(stored.id);
  expect(commandIn(message, "pgcompute:moves")).toBe("pulumi config set pgcompute:moves replace");
  const planned = await bench.run(diff(configured(bench, { moves: "replace" }), change));
  expect(planned.replaces).toBe(true);
});
