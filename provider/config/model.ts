/** The provider's settings, each with its description and environment variable. */
import { z } from "zod";
import { gaps, timeouts } from "../platform/policy";
import { type ProfileName, SMALLEST_CU } from "../platform/profiles/profile";
import { planNames, profiles } from "../platform/profiles/profiles";

/**
 * The configuration (namespace `pgcompute`): the source of types, checks, schema and reference. Stacks give numbers and
 * booleans as text.
 */
export const configModel = z.object({
  apiKey: z
    .string()
    .min(1)
    .optional()
    .describe("API key of the account. Secret. Falls back to the environment variable PGCOMPUTE_API_KEY.")
    .meta({ section: "5" }),
  baseUrl: z
    .string()
    .optional()
    .describe(
      "Base address of the control API; ends in its version segment `v2`; https unless it is loopback. Falls back to " +
        "the environment variable PGCOMPUTE_BASE_URL, then to the public platform.",
    )
    .meta({ section: "9" }),
  platform: z
    .enum(Object.keys(profiles) as [ProfileName, ...ProfileName[]])
    .optional()
    .describe(
      "The platform whose rules hold: `neon` for today's public one, `specification` for that of the specification. Default: `neon` for " +
        "the public address, `specification` for every other. Falls back to the environment variable PGCOMPUTE_PLATFORM.",
    ),
  plan: z
    .enum(planNames)
    .optional()
    .describe(
      "The account's plan: one of the platform's own, or `paid` for any paid one. Without it only what holds on every plan is checked.",
    )
    .meta({ section: "1, 2.4" }),
  maxSizeCu: number((n) => n.min(SMALLEST_CU))
    .optional()
    .describe("Largest compute size, in CU, where it is not what the platform's plan says.")
    .meta({ section: "2.4, 8" }),
  checks: z
    .enum(["refuse", "warn"])
    .default("refuse")
    .describe(
      "What becomes of a size, delay or replica beyond the platform's limits: refused, or for the day on which the platform has moved on, " +
        "a warning. Default `refuse`.",
    ),
  maxRequestsPerSecond: number((n) => n.positive())
    .optional()
    .describe(
      "Never more calls a second than this: of 2.5, three in any 1.2 seconds. Default: as fast as the platform allows.",
    )
    .meta({ section: "8" }),
  operationTimeoutSeconds: number((n) => n.positive().max(604_800))
    .default(gaps.waitMs / 1_000)
    .describe(
      "How long to wait for operations where `customTimeouts` is silent, in seconds, up to 604800. Default 600.",
    )
    .meta({ section: "4.2" }),
  requestTimeoutSeconds: number((n) => n.positive().max(3_600))
    .default(timeouts.headersMs / 1_000)
    .describe("Timeout of one request's headers and of its body, in seconds, up to 3600. Default 30."),
  moves: z
    .enum(["inPlace", "replace"])
    .optional()
    .describe(
      "What another `branchId` means: `inPlace` moves the endpoint where the platform allows it; `replace` always replaces it, for a " +
        "platform that has no moves. Default: as the platform does.",
    )
    .meta({ section: "3.2, 4.5" }),
  adoptInterrupted: boolean()
    .default(false)
    .describe(
      "Whether a create takes up an endpoint that an interrupted run made for the same resource, or the same member of a fleet. Without " +
        "it, a read-write endpoint is refused while that one is on its branch; a read replica is created beside " +
        "it, with a warning that names the one that was left. It trusts that no other stack has an endpoint with such a name. Default " +
        "false. Falls back to the environment variable PGCOMPUTE_ADOPT_INTERRUPTED.",
    ),
  undoRestore: z
    .string()
    .optional()
    .describe(
      "The id of a branch that took the place of another one when a snapshot was restored: a plan may put endpoints back from it to the " +
        "branch of before, and its data. Without it such a plan is refused. Default: none. Falls back to the environment variable " +
        "PGCOMPUTE_UNDO_RESTORE, which holds for one run.",
    ),
  traceFile: z
    .string()
    .optional()
    .describe(
      "A file that every call to the platform is added to, for support: a line of JSON each, with time, method, path, status, request " +
        "id and milliseconds, and never the key. Default: none. Falls back to the environment variable PGCOMPUTE_TRACE_FILE.",
    ),
});

/** The configuration with defaults. */
export type ProviderConfig = z.output<typeof configModel>;

/** A configuration key without its namespace. */
export type ConfigKey = keyof typeof configModel.shape;

/** The environment variable of each key, for keys that the configuration leaves out. */
export const configEnvironment: Partial<Record<ConfigKey, string>> = {
  apiKey: "PGCOMPUTE_API_KEY",
  baseUrl: "PGCOMPUTE_BASE_URL",
  platform: "PGCOMPUTE_PLATFORM",
  adoptInterrupted: "PGCOMPUTE_ADOPT_INTERRUPTED",
  undoRestore: "PGCOMPUTE_UNDO_RESTORE",
  traceFile: "PGCOMPUTE_TRACE_FILE",
};

function number(rule: (schema: z.ZodNumber) => z.ZodNumber) {
  return z.preprocess(
    (value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value),
    rule(z.number()),
  );
}

function boolean() {
  return z.preprocess((value) => {
    if (value === "true" || value === "1") return true;
    if (value === "false" || value === "0" || value === "") return false;
    return value;
  }, z.boolean());
}
