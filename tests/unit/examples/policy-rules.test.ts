import { describe, expect, it } from "vitest";
import {
  checkAutosuspend,
  checkProtection,
  checkSize,
  defaults,
  endpointsOf,
  stackOf,
  withAutosuspend,
} from "../../../examples/pipeline/policy/rules";

describe("the rules of the example's policy pack", () => {
  it.each([
    ["dev", { sizeCu: 2 }, undefined],
    ["dev", { sizeCu: 3 }, /3 CU is more than the 2 CU/],
    ["dev", { autoscalingLimitMaxCu: 4 }, /4 CU/],
    ["dev", {}, undefined],
    ["prod", { sizeCu: 7 }, undefined],
  ])("a size in %s: %o", (stack, props, reason) => {
    const found = checkSize(stack, props, defaults);
    if (reason) expect(found).toMatch(reason);
    else expect(found).toBeUndefined();
  });

  it.each([
    ["pr-7", {}, undefined],
    ["pr-7", { suspendTimeoutSeconds: 0 }, undefined],
    ["pr-7", { suspendTimeoutSeconds: 300 }, undefined],
    ["pr-7", { suspendTimeoutSeconds: 601 }, /within 600 seconds, not 601/],
    ["pr-7", { suspendTimeoutSeconds: -1 }, /must not be -1/],
    ["prod", { suspendTimeoutSeconds: -1 }, undefined],
  ])("autosuspend in %s: %o", (stack, props, reason) => {
    const found = checkAutosuspend(stack, props, defaults);
    if (reason) expect(found).toMatch(reason);
    else expect(found).toBeUndefined();
  });

  it("sets the delay of previews right, of each member that needs it", () => {
    const endpoint = "pgcompute:index:Endpoint";
    const mended = withAutosuspend("pr-7", endpoint, { sizeCu: 1, suspendTimeoutSeconds: -1 }, defaults);
    expect(mended).toEqual({ sizeCu: 1, suspendTimeoutSeconds: 300 });
    expect(withAutosuspend("pr-7", endpoint, { suspendTimeoutSeconds: 60 }, defaults)).toBeUndefined();
    expect(withAutosuspend("prod", endpoint, { suspendTimeoutSeconds: -1 }, defaults)).toBeUndefined();
    const endpoints = { a: { branchId: "br-a" }, b: { branchId: "br-b", suspendTimeoutSeconds: 60 } };
    const fleet = { defaults: { suspendTimeoutSeconds: 3_600 }, endpoints };
    expect(withAutosuspend("pr-7", "pulumi-nodejs:dynamic/pgcompute:EndpointFleet", fleet, defaults)).toEqual({
      ...fleet,
      endpoints: { ...endpoints, a: { branchId: "br-a", suspendTimeoutSeconds: 300 } },
    });
  });

  it.each([{}, { suspendTimeoutSeconds: 0 }])("autosuspend by the platform's default, 300 seconds: %o", (props) => {
    expect(checkAutosuspend("pr-7", props, { ...defaults, maxSuspendSeconds: 300 })).toBeUndefined();
    expect(checkAutosuspend("pr-7", props, { ...defaults, maxSuspendSeconds: 60 })).toMatch(/60 seconds, not 300/);
  });

  it.each([
    ["prod", {}, false, true],
    ["prod", {}, true, false],
    ["prod", { type: "read_only" }, false, false],
    ["dev", {}, false, false],
  ])("protection in %s: %o, protected %s", (stack, props, isProtected, wrong) => {
    expect(checkProtection(stack, props, isProtected, defaults) !== undefined).toBe(wrong);
  });

  it("are for endpoints of both hosts only, and know the stack from the URN", () => {
    expect(
      ["pgcompute:index:Endpoint", "pulumi-nodejs:dynamic/pgcompute:Endpoint", "aws:s3:Bucket"].map((type) =>
        endpointsOf(type, { sizeCu: 1 }, true),
      ),
    ).toEqual([[{ props: { sizeCu: 1 }, isProtected: true }], [{ props: { sizeCu: 1 }, isProtected: true }], []]);
    expect(stackOf("urn:pulumi:pr-7::shop::pgcompute:index:Endpoint::main")).toBe("pr-7");
  });

  it.each(["pgcompute:index:EndpointFleet", "pulumi-nodejs:dynamic/pgcompute:EndpointFleet"])(
    "see each member of a %s, with the defaults that it has",
    (type) => {
      const endpoints = { a: {}, b: { sizeCu: 1, protect: true }, c: { suspendTimeoutSeconds: -1 } };
      const props = { defaults: { autoscalingLimitMaxCu: 4, suspendTimeoutSeconds: 60 }, endpoints };
      const members = endpointsOf(type, props, true);
      expect(members.map(({ key, props: own }) => [key, checkSize("dev", own, defaults)?.slice(0, 4)])).toEqual([
        ["a", "4 CU"],
        ["b", undefined],
        ["c", "4 CU"],
      ]);
      expect(members.map(({ props: own }) => checkAutosuspend("pr-1", own, defaults) !== undefined)).toEqual([
        false,
        false,
        true,
      ]);
      expect(members.map(({ isProtected }) => isProtected)).toEqual([false, true, false]);
      expect(endpointsOf(type, {}, true)).toEqual([]);
    },
  );
});
