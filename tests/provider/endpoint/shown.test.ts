import { describe, expect, it } from "vitest";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import { create, diff, update } from "../../../provider/pulumi/lifecycle";
import { urnOf } from "../../support/bench";
import { partial, useCreate, useEndpoint } from "./support";

describe("success means that the platform shows what was sent", () => {
  it("fails a create whose value has no effect, with both values, the endpoint's id and the way on", async () => {
    const tools = await useCreate({ ignoredFields: ["passwordless_access"] });
    const { make, run, bench, inputs, context } = tools;
    const error = await partial(bench.fails(make({ passwordlessAccess: false })));
    expect(error).toMatchObject({ kind: "not_applied", state: { passwordlessAccess: true } });
    expect(error.message).toContain("passwordlessAccess was sent as false and is shown as true");
    expect(error.message).toContain("Take passwordlessAccess out of the program");
    expect(bench.on(inputs.branchId)).toMatchObject([{ id: error.id.split("/")[1] }]);

    // As the engine goes on: the change is planned and fails again, until the program no longer asks for it.
    const stored = { id: error.id, state: error.state };
    const asked: EndpointInputs = { ...inputs, passwordlessAccess: false };
    expect((await run(diff(context, { ...stored, inputs: { ...asked } }))).properties).toHaveProperty(
      "passwordlessAccess",
    );
    context.run.clear();
    const again = await bench.fails(update(context, { ...stored, inputs: asked }));
    expect(again).toMatchObject({ kind: "not_applied" });
    context.run.clear();
    await run(update(context, { ...stored, inputs }));
  });

  it("fails a move that was not made, and names the setting", async () => {
    const { bench, change, inputs, stored } = await useEndpoint({}, { ignoredFields: ["branch_id"] });
    const branchId = bench.branch();
    const error = await partial(bench.fails(change({ branchId })));
    expect(error).toMatchObject({ kind: "not_applied", id: stored.id, state: { branchId: inputs.branchId } });
    expect(error.message).toContain(`branchId was sent as "${branchId}" and is shown as "${inputs.branchId}"`);
    expect(error.message).toContain("pulumi config set pgcompute:moves replace");
  });

  it.each<[string, Partial<EndpointInputs>, string[], string]>([
    ["a size", { sizeCu: 2 }, ["autoscaling_limit_min_cu", "autoscaling_limit_max_cu"], "sizeCu was sent as 2"],
    ["autosuspend", { suspendTimeoutSeconds: 600 }, ["suspend_timeout_seconds"], "is shown as 0"],
    ["disabled", { disabled: true }, ["disabled"], "disabled was sent as true and is shown as false"],
    ["the pooler", { poolerEnabled: true }, ["pooler_enabled"], "poolerEnabled was sent as true"],
  ])("fails a change of %s that has no effect", async (_, changes, ignoredFields, text) => {
    const { bench, change, emulator } = await useEndpoint();
    emulator.admin.configure({ ignoredFields });
    const error = await bench.fails(change(changes));
    expect(error).toMatchObject({ kind: "not_applied" });
    expect(error.message).toContain(text);
  });

  it("counts as sent what no answer has, and says once that nobody can tell what came of it", async () => {
    const { run, bench, change, context, inputs, emulator } = await useEndpoint();
    emulator.admin.configure({ removedFields: "ignored" });
    const news = { poolerEnabled: true, poolerMode: "session" } as const;
    const stored = await run(change(news));
    const warning = /the platform takes poolerEnabled and poolerMode and does not show them, so that nobody can tell/;
    expect(context.said.warnings).toEqual([expect.stringMatching(warning)]);
    emulator.admin.clearLog();
    await run(change({ ...news, suspendTimeoutSeconds: 60 }, { from: stored }));
    const other = { ...inputs, branchId: bench.branch(), poolerEnabled: true };
    await run(create({ ...context, urn: urnOf("other") }, other));
    expect(context.said.warnings).toHaveLength(1);
    const wanted = { ...inputs, ...news };
    expect((await run(diff(context, { ...stored, inputs: wanted, oldInputs: wanted }))).changes).toBe(false);
  });

  it("looks at each of two that are created side by side, of which no answer tells the value yet", async () => {
    const { run, make, context } = await useCreate({ ignoredFields: ["pooler_enabled"] });
    const { api } = context.account;
    const createEndpoint: typeof api.createEndpoint = async (...args) => {
      const { endpoint, operations } = await api.createEndpoint(...args);
      const { poolerEnabled: _, ...untold } = endpoint;
      return { endpoint: untold, operations };
    };
    const account = { ...context.account, api: { ...api, createEndpoint } };
    const changes = { type: "read_only", poolerEnabled: true } as const;
    const both = ["one", "two"].map((name) => make(changes, { account, urn: urnOf(name) }));
    const ends = await run(Promise.allSettled(both));
    expect(ends).toEqual(
      ends.map(() => expect.objectContaining({ reason: expect.objectContaining({ kind: "not_applied" }) })),
    );
    expect(context.said.warnings).toEqual([]);
  });

  it("warns once of a setting in another spelling, which counts as sent until it changes", async () => {
    const { run, context, inputs, stored, endpointId, emulator } = await useEndpoint();
    const { api } = context.account;
    const updateEndpoint: typeof api.updateEndpoint = async (...args) => {
      const answer = await api.updateEndpoint(...args);
      emulator.admin.changeEndpoint(endpointId, { settings: { pg_settings: { work_mem: "8192kB" } } });
      return { ...answer, endpoint: { ...answer.endpoint, pgSettings: { work_mem: "8192kB" } } };
    };
    const wanted = { ...inputs, pgSettings: { work_mem: "8MB" } };
    const account = { ...context.account, api: { ...api, updateEndpoint } };
    const made = await run(update({ ...context, account }, { ...stored, inputs: wanted }));
    expect(context.said.warnings.join()).toContain("pgSettings.work_mem in another spelling");
    expect(made.state).toMatchObject({ pgSettings: { work_mem: "8MB" } });
    const planned = await run(diff(context, { ...made, inputs: wanted, oldInputs: wanted }));
    expect(planned.changes).toBe(false);
  });
});
