import { expect, test } from "vitest";
import type { Advice } from "../../../provider/lib/failure";
import { adviseFailure } from "../../../provider/pulumi/failure-advice";

test.each<[Advice | undefined, string]>([
  [undefined, "too large"],
  [
    { kind: "raise-max-size", value: 9 },
    "too large; if your platform offers more, run: pulumi config set pgcompute:maxSizeCu 9",
  ],
  [
    { kind: "reset-size-limits" },
    "too large; for the usual range, run: pulumi config rm-all pgcompute:minSizeCu pgcompute:maxSizeCu",
  ],
  [
    { kind: "set-paid-plan" },
    "too large; if the account is on a paid plan, run: pulumi config set pgcompute:plan paid",
  ],
  [
    { kind: "find-branch", projectId: "p-one" },
    "too large; getBranch finds it by the branch's name; to see all ids, run: npx pulumi-pgcompute branches --project p-one",
  ],
  [
    { kind: "find-branch" },
    "too large; getBranch finds it by the branch's name; to see all ids, run: npx pulumi-pgcompute branches --project PROJECT",
  ],
  [{ kind: "find-project" }, "too large; to see the ids of all projects, run: npx pulumi-pgcompute projects"],
  [
    { kind: "give-key" },
    "too large; run `pulumi config set --secret pgcompute:apiKey`, or set the environment variable PGCOMPUTE_API_KEY",
  ],
])("the way on %j becomes a command", (advice, reason) => {
  const failure = { property: "sizeCu", reason: "too large", ...(advice && { advice }) };
  expect(adviseFailure(failure)).toEqual({ ...failure, reason });
});
