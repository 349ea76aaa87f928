import { getComputeSize } from "../../../provider/endpoint/rules/compute-size";
import { listed } from "../../../provider/lib/wording";
import { DEFAULT_BASE_URL } from "../../../provider/platform/http/base-url";
import {
  DEFAULT_SUSPEND_SECONDS,
  MAX_SUSPEND_SECONDS,
  type PlanLimits,
  POOLED_CONNECTIONS_LIMIT,
  type Profile,
  SMALLEST_CU,
  sizesUpTo,
} from "../../../provider/platform/profiles/profile";
import { limitsOf, profiles } from "../../../provider/platform/profiles/profiles";
import { code, page, table } from "./markdown";

const UNKNOWN = "not known";
const { specification, neon } = profiles;
const all = [specification, neon];

/** docs/platforms.md: the facts on each platform side by side, each figure with its dated source. */
export function platformsPage(): string {
  return page(
    "Platforms",
    [
      "The provider knows two platforms, and plans by the rules of the one that it works with: limits, previews, outputs, `getComputeSize`,",
      "reviews and messages. `pgcompute:platform` says which; where it is not set, the public address",
      `(\`${DEFAULT_BASE_URL}\`) is \`neon\`, and every other is \`specification\`: the emulator, this machine, a private`,
      "platform, a proxy. **Behind a proxy of the public platform set `pgcompute:platform: neon`.** Where no stack is read,",
      "`PGCOMPUTE_PLATFORM` or `--platform` says it. The emulator has the same two (`--platform`).",
      "A review reads it from the stack's configuration. Where only the environment, or a provider that the program declares, names it, the preview",
      "says beside the first change whose figures it has.",
    ].join("\n"),
    [
      "`pgcompute:plan` is the account's plan: one of the platform's own, or `paid` for any paid one. Then only what every plan that may be meant",
      "rules out is refused, and so it is without `plan`. `maxSizeCu` outranks the table. On the day on which the platform has moved on,",
      "`pgcompute:checks: warn` makes warnings of the platform's limits; rules of what an endpoint is stay refusals.",
    ].join("\n"),
    [
      "Where a plan fixes the autosuspend delay, as Neon's `free` does, a request that carries one is refused (412), even with the value that is in",
      "force. With `pgcompute:plan: free` the provider leaves 300 out, refuses other values in the preview, and plans nothing for a change back to it;",
      "0 is sent as written. Without `plan` the delay is sent, and the error names the setting.",
    ].join("\n"),
    [
      "Read replicas of a project count whoever has them: those that the program plans, and those that are there when a preview begins.",
      "What a run deletes goes last, so it counts, too.",
    ].join("\n"),
    "What is not known of a platform is not said. Figures change: each has its source, and the date of that.",
    "## Limits",
    table(["what", ...all.flatMap(({ name }) => [code(name), "source, date"])], rows()),
    "## Plans",
    ...all.map((profile) => [`### ${code(profile.name)}`, planTable(profile)].join("\n\n")),
    "## max_connections",
    "Of endpoints with a fixed size, and of some that autoscale.",
    table(["size, CU", "memory", ...all.map(({ name }) => code(name))], connectionRows()),
  );
}

function rows(): string[][] {
  const row = (what: string, fact: string, show: (profile: Profile) => string | undefined) => {
    const cells = all.flatMap((profile) => {
      const text = show(profile);
      const source = profile.sources[fact];
      return text === undefined || source === undefined ? [UNKNOWN, ""] : [text, `${source.text}, ${source.date}`];
    });
    return [what, ...cells];
  };
  const limits = (profile: Profile) => limitsOf(profile, undefined);
  return [
    row("sizes, CU", "sizes", (one) => sizesText(limits(one).largestCu)),
    row("autoscaling reaches, CU", "autoscaling", (one) => String(limits(one).autoscalingMaxCu)),
    row("most between minimum and maximum, CU", "spread", (one) =>
      one.autoscalingSpreadCu < limits(one).largestCu
        ? String(one.autoscalingSpreadCu)
        : `${one.autoscalingSpreadCu}, as on larger platforms: it counts where \`maxSizeCu\` is raised`,
    ),
    row("`max_connections` is set by", "connections", (one) => one.connectionsSetBy),
    row("connections that it keeps for itself", "reserved", (one) => one.reservedConnections?.toString()),
    row("local file cache, of the memory", "cache", (one) => `${100 * one.cacheShare} %`),
    row("shared_buffers", "sharedBuffers", ({ sharedBuffers }) =>
      sharedBuffers === undefined
        ? "128 MB"
        : `128 MB; of fixed sizes from ${sharedBuffers.fromCu} CU on up to ${100 * sharedBuffers.share} % of the memory`,
    ),
    row("pooled clients of an endpoint", "pooled", () => POOLED_CONNECTIONS_LIMIT.toLocaleString("en-US")),
    row("a pool, for each user and database", "pooled", (one) =>
      one.poolShare === undefined ? undefined : `${one.poolShare} of max_connections`,
    ),
    row("autosuspend by default, seconds", "autosuspend", () => String(DEFAULT_SUSPEND_SECONDS)),
    row("longest delay, seconds", "autosuspend", () => String(MAX_SUSPEND_SECONDS)),
    row("always active", "autosuspend", (one) =>
      one.alwaysActiveAboveCu === undefined
        ? undefined
        : `above ${one.alwaysActiveAboveCu} CU, whatever the delay says`,
    ),
    row("computes of a project active at once", "active", (one) =>
      one.activeComputes === undefined ? undefined : `${one.activeComputes}, and that of the default branch`,
    ),
    row("one more is answered", "answers", (one) => one.activeLimitAnswer),
    row("where a quota is used up, a change is answered", "answers", (one) => one.quotaAnswer),
    row("calls of an account", "rate", ({ rate }) =>
      rate === undefined ? undefined : `${rate.perMinute} a minute, ${rate.perSecond} a second of one route`,
    ),
    row("an endpoint moves to", "fields", (one) => one.movesTo),
    row("protected branches", "fields", ({ restrictsBranches }) =>
      restrictsBranches
        ? "keep their endpoints, as `restricted_actions` does the read-write one; a branch may expire"
        : undefined,
    ),
    row("taken without effect", "fields", (one) => one.withoutEffect.map(code).join(", ")),
    row("deprecated", "fields", (one) => one.deprecated.map(code).join(", ")),
  ];
}

function planTable(profile: Profile): string {
  const plans = Object.entries(profile.plans);
  const row = (what: string, show: (limits: PlanLimits) => string) => [
    what,
    ...plans.map(([, limits]) => show(limits)),
  ];
  const { plans: source, prices } = profile.sources;
  return `${table(
    ["what", ...plans.map(([name]) => code(name))],
    [
      row("largest fixed size, CU", ({ largestCu }) => String(largestCu)),
      row("largest autoscaling maximum, CU", ({ autoscalingMaxCu }) => String(autoscalingMaxCu)),
      row("autosuspend", delaysText),
      row("read replicas of a project", ({ readReplicas }) => readReplicas?.toString() ?? "not limited"),
      row("US dollars a CU-hour", ({ cuHourUsd }) => cuHourUsd?.toString() ?? UNKNOWN),
    ],
  )}\n\nSource: ${source?.text}, ${source?.date}${prices ? `; of the prices ${prices.date}` : ""}.`;
}

function delaysText({ suspend: { never, leastSeconds } }: PlanLimits): string {
  const delays = leastSeconds === undefined ? `${DEFAULT_SUSPEND_SECONDS} s` : `${leastSeconds} s and more`;
  return never ? `${delays}, or never` : `${delays}, fixed`;
}

/** The sizes as text, such as `0.25, 0.5, 1 to 16, 18 to 56 in steps of 2`. */
function sizesText(largest: number): string {
  const whole = sizesUpTo(Math.min(largest, 16)).filter((cu) => cu >= 1);
  const steps = ["0.25", "0.5", `whole numbers from 1 to ${whole.at(-1)}`];
  return listed([...steps, ...(largest > 16 ? [`even numbers from 18 to ${largest}`] : [])]);
}

function connectionRows(): string[][] {
  const most = Math.max(...all.map((profile) => limitsOf(profile, undefined).largestCu));
  const fixed = sizesUpTo(most).filter((cu) => cu <= 10 || cu === most);
  const ranges = [
    [SMALLEST_CU, 2],
    [1, 4],
    [1, 7],
    [2, 8],
    [8, 16],
  ] as const;
  const isOwn = (profile: Profile, cu: number) => getComputeSize(cu, profile) !== undefined;
  const cell = (profile: Profile, min: number, max: number) =>
    isOwn(profile, max) ? String(profile.maxConnections(min, max)) : "no size of it";
  return [
    ...fixed.map((cu) => [String(cu), `${4 * cu} GB`, ...all.map((one) => cell(one, cu, cu))]),
    ...ranges.map(([min, max]) => [
      `${min} to ${max}`,
      `${4 * min} to ${4 * max} GB`,
      ...all.map((one) => cell(one, min, max)),
    ]),
  ];
}
