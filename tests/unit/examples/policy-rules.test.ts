import { join } from "node:path";
import { expect, it } from "vitest";
import {
  checkAutosuspend,
  checkProtection,
  checkSize,
  defaults,
  endpointsOf,
  stackOf,
  withAutosuspend,
} from "../../../examples/pipeline/policy/rules";
import { root } from "../../../tools/root.mjs";

const endpoint = "pgcompute:index:Endpoint";
const dynamic = "pulumi-nodejs:dynamic/pgcompute:Endpoint";

/** Properties of endpoints, by stack, and of fleets. */
const singles: Record<string, object[]> = {
  dev: [{}, { sizeCu: 2 }, { sizeCu: 3 }, { autoscalingLimitMaxCu: 4 }],
  prod: [{}, { sizeCu: 7 }, { suspendTimeoutSeconds: -1 }, { type: "read_only" }],
  "pr-7": [
    {},
    { sizeCu: 1, suspendTimeoutSeconds: -1 },
    ...[0, 60, 300, 601].map((one) => ({ suspendTimeoutSeconds: one })),
  ],
};
// Anew for each fleet: a mended one is set in place.
const members = () => ({ a: {}, b: { sizeCu: 1, protect: true }, c: { suspendTimeoutSeconds: -1 } });
const fleets: Record<string, object> = {
  dev: { defaults: { autoscalingLimitMaxCu: 4, suspendTimeoutSeconds: 60 }, endpoints: members() },
  "pr-7": { defaults: { suspendTimeoutSeconds: 3_600 }, endpoints: { ...members(), d: { suspendTimeoutSeconds: 60 } } },
  prod: { endpoints: members() },
  production: {},
};

it("the rules of the example's policy pack: as they were", async () => {
  const lines: string[] = [];
  const strictly = (reason: string | undefined) => reason && `where 60 seconds is the longest delay: ${reason}`;
  const tell = (stack: string, type: string, props: object) => {
    lines.push(`# ${stack}: ${type} ${JSON.stringify(props)}`);
    for (const { key = "-", props: own, isProtected } of endpointsOf(type, props, false)) {
      const found = [
        checkSize(stack, own, defaults),
        checkAutosuspend(stack, own, defaults),
        strictly(checkAutosuspend(stack, own, { ...defaults, maxSuspendSeconds: 60 })),
        checkProtection(stack, own, isProtected, defaults),
      ];
      lines.push(...found.filter((one) => one !== undefined).map((one) => `${key}: ${one}`));
    }
    lines.push(`mended: ${JSON.stringify(withAutosuspend(stack, type, props, defaults)) ?? "no"}`);
  };
  for (const [stack, all] of Object.entries(singles)) for (const props of all) tell(stack, endpoint, props);
  for (const [stack, props] of Object.entries(fleets)) tell(stack, `${endpoint}Fleet`, props);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(join(root, "tests/unit/examples/samples/policy-rules.txt"));
});

it("the rules are for endpoints of both hosts only, and know the stack from the URN", () => {
  const seen = [endpoint, dynamic, "aws:s3:Bucket"].map((type) => endpointsOf(type, { sizeCu: 1 }, true));
  const one = [{ props: { sizeCu: 1 }, isProtected: true }];
  expect(seen).toEqual([one, one, []]);
  for (const props of Object.values(fleets))
    expect(endpointsOf(`${dynamic}Fleet`, props, true)).toEqual(endpointsOf(`${endpoint}Fleet`, props, true));
  expect(checkProtection("prod", {}, true, defaults)).toBeUndefined();
  expect(stackOf(`urn:pulumi:pr-7::shop::${endpoint}::main`)).toBe("pr-7");
});
