import { describe, expect, it, vi } from "vitest";
import { PgComputeError } from "../../../provider/platform/errors";
import { neon } from "../../../provider/platform/profiles/profiles";
import { check, create, diff, remove } from "../../../provider/pulumi/endpoint/lifecycle";
import { messageFor } from "../../../provider/pulumi/messages/errors";
import { adviseError } from "../../../provider/pulumi/messages/refusals";
import { urnOf } from "../../support/bench";
import { useEndpoint, useOne } from "./support";

const platform = { platform: "neon", plan: "free" } as const;
const free = { profile: neon, plan: "free" } as const;
const unsaid = { profile: neon };

async function messageOf(failed: Promise<unknown>): Promise<string> {
  const error = await failed;
  if (!(error instanceof PgComputeError)) throw error;
  adviseError(error, { host: "plugin", urn: urnOf("main") });
  return messageFor(error);
}

describe("a plan that fixes the autosuspend delay, and is configured", () => {
  it("is sent no delay that it has by itself, by a create or any later change", async () => {
    const { change, bench, live, stored, context, inputs } = await useEndpoint(
      { suspendTimeoutSeconds: 300 },
      platform,
      free,
    );
    expect(stored.state.suspendTimeoutSeconds).toBe(0);
    await bench.run(change({ suspendTimeoutSeconds: 300, sizeCu: 1 }));
    expect(live().autoscaling_limit_max_cu).toBe(1);
    const news = { ...inputs, suspendTimeoutSeconds: 300 };
    expect((await bench.run(diff(context, { ...stored, inputs: news, oldInputs: inputs }))).changes).toBe(false);
  });

  it("is sent 0 as the program says", async () => {
    const { bench, context, make } = await useOne(platform, free);
    const spy = vi.spyOn(context.account.api, "createEndpoint");
    await bench.run(make({ suspendTimeoutSeconds: 0 }));
    expect(spy.mock.calls[0]?.[1]).toMatchObject({ suspendTimeoutSeconds: 0 });
  });

  it.each([300, 0, undefined])("has its delay in force, whatever was shown: %s plans nothing", async (delay) => {
    const { bench, context, stored, inputs, changes, change } = await useEndpoint({}, platform, free);
    const from = { ...stored, state: { ...stored.state, suspendTimeoutSeconds: 600 } };
    const oldInputs = { ...inputs, suspendTimeoutSeconds: 600 };
    const news = { ...inputs, ...(delay !== undefined && { suspendTimeoutSeconds: delay }) };
    const planned = await bench.run(diff(context, { ...from, inputs: news, oldInputs }));
    expect(planned).toMatchObject({ changes: false, properties: {} });
    await bench.run(change(news, { from, oldInputs }));
    expect(changes()).toEqual([]);
  });

  it.each([60, 301, 600, -1])("refuses %s in the preview", async (suspendTimeoutSeconds) => {
    const { checked, inputs } = await useOne(platform, free);
    const { failures } = await checked({ news: { ...inputs, suspendTimeoutSeconds } });
    expect(failures).toMatchObject([
      { property: "suspendTimeoutSeconds", reason: expect.stringContaining("Neon's free plan suspends after 300 s") },
    ]);
  });

  it("is left out of a takeover, too", async () => {
    const { bench, context, emulator, changes } = await useEndpoint({}, { platform: "neon" }, free);
    const branchId = bench.branch();
    emulator.admin.seedEndpoint(emulator.projectId, { branch_id: branchId, suspend_timeout_seconds: 900 });
    const news = { projectId: emulator.projectId, branchId, adoptExisting: true, suspendTimeoutSeconds: 300 };
    const other = { ...context, urn: urnOf("other") };
    expect((await bench.run(check(other, { news }))).failures).toEqual([]);
    await bench.run(create(other, { ...news, type: "read_write" }));
    expect(changes()).toEqual([]);
  });
});

describe("a plan that is not configured", () => {
  it.each([300, 600])("is sent the delay of %s s, and its refusal names the setting", async (suspendTimeoutSeconds) => {
    const { bench, make } = await useOne(platform, unsaid);
    const message = await messageOf(bench.fails(make({ suspendTimeoutSeconds })));
    expect(message).toContain("412: modifying the suspend interval is not permitted on this account [request ");
    expect(message).toContain("take suspendTimeoutSeconds out of the program");
    expect(message).toMatch(/run:\n +pulumi config set pgcompute:plan free$/);
    expect(message).not.toContain("bug");
  });

  it("names the setting where an endpoint that is there is changed", async () => {
    const { bench, change } = await useEndpoint({}, platform, unsaid);
    const message = await messageOf(bench.fails(change({ suspendTimeoutSeconds: 600 })));
    expect(message).toContain("take suspendTimeoutSeconds out of the program");
  });

  it("is asked for where another limit is met", async () => {
    const { bench, make } = await useOne(platform, unsaid);
    const message = await messageOf(bench.fails(make({ sizeCu: 4 })));
    expect(message).toMatch(
      /PLAN_LIMIT: .*\. Waiting does not help here\. .*\n +pulumi config set pgcompute:plan free$/,
    );
    expect(message).not.toContain("bug");
  });
});

it.each([
  [423, "COMPUTE_TIME_QUOTA_EXCEEDED"],
  [422, "COMPUTE_TIME_QUOTA_EXCEEDED"],
  [423, "NON_PRIMARY_BRANCH_COMPUTE_TIME_EXCEEDED"],
  [402, "ACTIVE_ENDPOINTS_LIMIT_EXCEEDED"],
])("a quota is not waited for: %s %s", async (status, code) => {
  const { bench, change, emulator, changes } = await useEndpoint({}, platform, unsaid);
  emulator.admin.addFault({ route: "endpoints.update", effect: { kind: "status", status, code, message: "no more" } });
  const beganMs = bench.clock.now();
  const message = await messageOf(bench.fails(change({ sizeCu: 1 })));
  expect(bench.clock.now() - beganMs).toBeLessThan(1_000);
  expect(changes()).toHaveLength(1);
  expect(message).toContain(`${status} ${code}: no more`);
});

it("a delete that a quota stands against is not explained by a root branch", async () => {
  const { bench, context, stored, emulator } = await useEndpoint({}, platform, unsaid);
  const effect = { kind: "status", status: 422, code: "COMPUTE_TIME_QUOTA_EXCEEDED", message: "no more" } as const;
  emulator.admin.addFault({ route: "endpoints.delete", effect });
  const message = await messageOf(bench.fails(remove(context, stored)));
  expect(message).not.toContain("root branch");
});
