import { join } from "node:path";
import { expect, test } from "vitest";
import type { Advice } from "../../../provider/lib/failure";
import { pluginCommand } from "../../../provider/pulumi/messages/commands";
import { adviseFailure } from "../../../provider/pulumi/messages/errors";

test.each<[Advice | undefined, string]>([
  [undefined, "too large"],
  [
    { kind: "raise_max_size", value: 9 },
    "too large; if your platform offers more, run: pulumi config set pgcompute:maxSizeCu 9",
  ],
  [
    { kind: "set_plan", plan: "scale" },
    "too large; if the account is on the scale plan, run: pulumi config set pgcompute:plan scale",
  ],
  [
    { kind: "set_plan", plan: "paid" },
    "too large; if the account is on a paid plan, run: pulumi config set pgcompute:plan paid",
  ],
  [
    { kind: "find_branch", projectId: "p-one" },
    "too large; getBranch finds it by the branch's name; to see all ids, run: npx --no-install pgcompute branches --project p-one",
  ],
  [
    { kind: "find_branch" },
    "too large; getBranch finds it by the branch's name; to see all ids, run: npx --no-install pgcompute branches --project PROJECT",
  ],
  [{ kind: "find_project" }, "too large; to see the ids of all projects, run: npx --no-install pgcompute projects"],
  [
    { kind: "give_key" },
    "too large; run `pulumi config set --secret pgcompute:apiKey`, or set the environment variable PGCOMPUTE_API_KEY",
  ],
  [
    { kind: "give_address" },
    "too large; if the key is of that platform, set PGCOMPUTE_BASE_URL=ADDRESS beside the key, for refresh and destroy too; a provider with a key of its own (apiKey) keeps its own address",
  ],
])("the way on %j becomes a command", (advice, reason) => {
  const failure = { property: "sizeCu", reason: "too large", ...(advice && { advice }) };
  expect(adviseFailure(failure)).toEqual({ ...failure, reason });
});

test.each([
  ["beside the plugin", __filename, /^node \S*failure-advice\.test\.ts$/],
  [
    "of its release where the plugin stands alone",
    join(__dirname, "none"),
    /^npx -p pulumi-pgcompute@9\.9\.9 pgcompute$/,
  ],
])("the command is the one %s", (_, script, command) => {
  expect(pluginCommand(script, "pulumi-pgcompute@9.9.9")).toMatch(command);
});
