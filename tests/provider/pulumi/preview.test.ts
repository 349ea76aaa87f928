import { describe, expect, it } from "vitest";
import { check } from "../../../provider/pulumi/endpoint/check";
import { previewOutputs } from "../../../provider/pulumi/endpoint/preview";
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
});
