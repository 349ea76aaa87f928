/** What a plan of the platform fixes or limits, where it is configured and where it is not. */
import { describe, expect, it, vi } from "vitest";
import { neon } from "../../../provider/platform/profiles/profiles";
import { useMade, useMain } from "../../engine-model/stack";

const platform = { platform: "neon", plan: "free" } as const;
const free = { profile: neon, plan: "free" } as const;
const unsaid = { profile: neon };

describe("a plan that fixes the autosuspend delay, and is configured", () => {
  it("is sent no delay that it has by itself, by a create or any later change", async () => {
    const { stack, main, live } = await useMain(platform, free);
    const fixed = { suspendTimeoutSeconds: 300 };
    expect((await stack.up(main(fixed))).messages).toEqual([]);
    expect(stack.stored("main")?.state.suspendTimeoutSeconds).toBe(0);
    expect((await stack.preview(main(fixed))).isChanged).toBe(false);
    expect((await stack.up(main({ ...fixed, sizeCu: 1 }))).messages).toEqual([]);
    expect(live().autoscaling_limit_max_cu).toBe(1);
  });

  it("is sent 0 as the program says", async () => {
    const { bench, stack, main } = await useMain(platform, free);
    const account = bench.account({}, free);
    const create = vi.spyOn(account.api, "createEndpoint");
    await stack.up(main({ suspendTimeoutSeconds: 0 }), { account });
    expect(create.mock.calls[0]?.[1]).toMatchObject({ suspendTimeoutSeconds: 0 });
  });

  it.each([300, 0, undefined])("has its delay in force, whatever was shown: %s plans nothing", async (delay) => {
    const { stack, main, sent } = await useMade({}, platform, free);
    const { state, inputs } = stack.stored("main") ?? {};
    Object.assign(state ?? {}, { suspendTimeoutSeconds: 600 });
    Object.assign(inputs ?? {}, { suspendTimeoutSeconds: 600 });
    const news = main(delay === undefined ? {} : { suspendTimeoutSeconds: delay });
    expect((await stack.up(news)).isChanged).toBe(false);
    expect(sent()).toEqual([]);
  });

  it.each([60, 301, 600, -1])("refuses %s in the preview", async (suspendTimeoutSeconds) => {
    const { stack, main } = await useMain(platform, free);
    const { messages } = await stack.preview(main({ suspendTimeoutSeconds }));
    expect(messages).toEqual([
      expect.stringMatching(/^suspendTimeoutSeconds: .*Neon's free plan suspends after 300 s/),
    ]);
  });

  it("is left out of a takeover, too", async () => {
    const { stack, admin, projectId, branchId, main, sent } = await useMain({ platform: "neon" }, free);
    admin.seedEndpoint(projectId, { branch_id: branchId, suspend_timeout_seconds: 900 });
    const takeover = main({ adoptExisting: true, suspendTimeoutSeconds: 300 });
    expect((await stack.up(takeover)).messages).toEqual([]);
    expect(sent()).toEqual([]);
  });
});

describe("a plan that is not configured", () => {
  it.each([300, 600])("is sent the delay of %s s, and its refusal names the setting", async (suspendTimeoutSeconds) => {
    const { stack, main } = await useMain(platform, unsaid);
    const [message] = (await stack.up(main({ suspendTimeoutSeconds }))).messages;
    expect(message).toContain("412: modifying the suspend interval is not permitted on this account [request ");
    expect(message).toContain("take suspendTimeoutSeconds out of the program");
    expect(message).toMatch(/run:\n +pulumi config set pgcompute:plan free$/);
    expect(message).not.toContain("bug");
  });

  it("names the setting where an endpoint that is there is changed", async () => {
    const { stack, main } = await useMade({}, platform, unsaid);
    const { messages } = await stack.up(main({ suspendTimeoutSeconds: 600 }));
    expect(messages).toEqual([expect.stringContaining("take suspendTimeoutSeconds out of the program")]);
  });

  it("is asked for where another limit is met", async () => {
    const { stack, main } = await useMain(platform, unsaid);
    const { error } = await stack.up(main({ sizeCu: 4 }));
    const message = String(error?.message);
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
  [423, "PLAN_RESTRICTED"],
  [423, "BRANCH_ARCHIVED"],
])("what waiting does not end is not waited for: %s %s", async (status, code) => {
  const { bench, stack, admin, main, sent } = await useMade({}, platform, unsaid);
  admin.addFault({ route: "endpoints.update", effect: { kind: "status", status, code, message: "no more" } });
  const beganMs = bench.clock.now();
  const { messages } = await stack.up(main({ sizeCu: 1 }));
  expect(bench.clock.now() - beganMs).toBeLessThan(1_000);
  expect(sent()).toHaveLength(1);
  expect(messages).toEqual([expect.stringContaining(`${status} ${code}: no more`)]);
});

it("a delete that a quota stands against is not explained by a root branch", async () => {
  const { stack, admin } = await useMade({}, platform, unsaid);
  const effect = { kind: "status", status: 422, code: "COMPUTE_TIME_QUOTA_EXCEEDED", message: "no more" } as const;
  admin.addFault({ route: "endpoints.delete", effect });
  const { messages } = await stack.destroy();
  expect(messages).toEqual([expect.stringContaining("no more")]);
  expect(messages.join()).not.toContain("root branch");
});
