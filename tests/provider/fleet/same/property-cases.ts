/** Cases by property: values that are legal, and values that are refused. */
import type { Case } from "./case";
import type { Values } from "./hosts";

/** Each property with two values. */
const properties: readonly [string, Values, Values][] = [
  ["a fixed size", { sizeCu: 1 }, { sizeCu: 2 }],
  [
    "a range of sizes",
    { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 },
    { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4 },
  ],
  ["the delay", { suspendTimeoutSeconds: 600 }, { suspendTimeoutSeconds: 900 }],
  ["pooling", { poolerEnabled: true }, { poolerEnabled: false }],
  ["the pooler's mode", { poolerMode: "session" }, { poolerMode: "transaction" }],
  ["settings", { pgSettings: { work_mem: "8MB" } }, { pgSettings: { work_mem: 16, log_statement: "all" } }],
  [
    "libraries",
    { preloadLibraries: ["pg_stat_statements"] },
    { preloadLibraries: ["pg_prewarm", "pg_stat_statements"] },
  ],
  ["a switch off", { disabled: true }, { disabled: false }],
  ["access without passwords", { passwordlessAccess: true }, { passwordlessAccess: false }],
  ["a trigger", { restartTrigger: "1" }, { restartTrigger: "2" }],
];

/** Each property: set, left alone, changed, taken out. */
export const ofProperties: readonly Case[] = properties.map(([name, first, second]) => ({
  name: `${name}: set, left alone, changed, taken out`,
  async play({ resource, inputs }) {
    await resource.up(inputs(first));
    await resource.up(inputs(first));
    await resource.up(inputs(second));
    await resource.up(inputs(second));
    await resource.up(inputs());
    await resource.up(inputs());
    await resource.refresh();
    await resource.up(inputs());
    await resource.destroy();
  },
}));

const refusals: readonly [string, Values, RegExp][] = [
  ["a size that is none", { sizeCu: 3.3 }, /sizeCu: .*3\.3/],
  ["two forms of a size", { sizeCu: 1, autoscalingLimitMinCu: 1 }, /sizeCu|autoscalingLimitMinCu/],
  ["a delay that is too long", { suspendTimeoutSeconds: 604_801 }, /suspendTimeoutSeconds: /],
  ["a branch's name", { branchId: "main" }, /branchId: "main" looks like a branch's name/],
  [
    "a branch that is not there",
    { branchId: "br-none" },
    /branchId: branch br-none does not exist in .*; getBranch finds it/,
  ],
  [
    "a project that is not there",
    { projectId: "none" },
    /projectId: project none does not exist.*404, request .*; to see the ids of all projects/,
  ],
  [
    "a library that is not there",
    { preloadLibraries: ["pg_prewarm", "pg_stat_statement"] },
    /preloadLibraries: project .* has no library "pg_stat_statement" to load: did you mean "pg_stat_statements"\?/,
  ],
  ["a property that is none", { size: 1 }, /size: unknown property/],
  ["a value of another type", { sizeCu: "big" }, /sizeCu: has to be a number/],
  ["a type that is none", { type: "primary" }, /type: "primary" is not one of/],
  ["a replica that adopts", { type: "read_only", adoptExisting: true }, /adoptExisting: takes over/],
];

/** Each refusal, at once and later. */
export const ofRefusals: readonly Case[] = refusals.map(
  ([name, changes, message]): Case => ({
    name: `refused: ${name}, at once and later`,
    messages: [message, message],
    async play({ resource, inputs }) {
      await resource.preview(inputs(changes));
      await resource.up(inputs());
      await resource.preview(inputs(changes));
    },
  }),
);
