import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { type CheckRequest, check } from "../../../provider/pulumi/check";
import { read } from "../../../provider/pulumi/lifecycle";
import { announceStep, previewOutputs } from "../../../provider/pulumi/preview";
import { QUIET_MS } from "../../../provider/pulumi/run";
import { urnOf } from "../../support/bench";
import { useOne } from "../endpoint/support";

describe("a preview of a create that may take over", () => {
  const setUp = async () => {
    const tools = await useOne();
    const { emulator, context, inputs } = tools;
    const there = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: inputs.branchId });
    const main = { ...context, urn: urnOf("main") };
    return { ...tools, there, main, news: { ...inputs, adoptExisting: true } };
  };

  it("shows the outputs of what it takes over", async () => {
    const { run, main, news, there } = await setUp();
    expect((await run(check(main, { news }))).failures).toEqual([]);
    expect(await run(previewOutputs(main, { inputs: news }))).toMatchObject({ host: there.host, endpointId: there.id });
  });

  it("shows none of an endpoint that another resource moves away before", async () => {
    const { run, bench, context, inputs, main, news, there } = await setUp();
    const legacy = { ...context, urn: urnOf("legacy") };
    const olds = { ...inputs, type: "read_write" };
    await run(check(legacy, { olds, news: { ...olds, branchId: bench.branch() } }));
    context.run.identify(legacy.urn, there.id);
    await run(announceStep(legacy));
    expect((await run(check(main, { news }))).failures).toEqual([]);
    expect(await run(previewOutputs(main, { inputs: news }))).toMatchObject({ host: UNKNOWN, endpointId: UNKNOWN });
  });
});

describe("the answer to a preview's step", () => {
  /** How long it takes after the Check of a program. */
  const waitedAfter = async ({ run, context, clock }: Awaited<ReturnType<typeof useOne>>, request: CheckRequest) => {
    await run(context.run.planning.during(clock, () => check(context, request)));
    const beganMs = clock.now();
    await run(announceStep(context));
    return clock.now() - beganMs;
  };

  it("waits for a moment without Checks where another may contend, and not for a change in place", async () => {
    const one = await useOne();
    const olds = { ...one.inputs, type: "read_write" };
    expect(await waitedAfter(one, { olds, news: { ...olds, sizeCu: 1 } })).toBe(0);
    expect(await waitedAfter(one, { olds, news: { ...olds, branchId: one.bench.branch() } })).toBe(QUIET_MS);
  });

  it("waits as well where only a refresh has shown who may contend, until that one was checked", async () => {
    const one = await useOne();
    const { run, bench, context, inputs, emulator } = one;
    const { admin, projectId, endpointId } = emulator;
    admin.dropEndpoint(endpointId);
    const mover = { ...context, urn: urnOf("mover") };
    const news = { ...inputs, type: "read_only" };
    const { id } = admin.seedEndpoint(projectId, { branch_id: inputs.branchId, type: "read_only" });
    const waited = () => waitedAfter(one, { news: { ...news, branchId: bench.branch() } });
    expect(await run(read(mover, { id: `${projectId}/${id}`, state: { ...news }, oldInputs: news }))).toBeDefined();
    expect(await waited()).toBe(QUIET_MS);
    expect((await run(check(mover, { olds: news, news }))).failures).toEqual([]);
    expect(await waited()).toBe(0);
  });
});
