import { z } from "zod";

/**
 * The provider's configuration (namespace `pgcompute`), the single source of its types, checks, schema and reference
 * page. Stack configuration gives every value as text, so numbers and booleans are accepted as text too.
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
  plan: z
    .enum(["free", "paid"])
    .optional()
    .describe("The account's plan. Rules of the free plan are checked only when it is `free`.")
    .meta({ section: "1, 2.4" }),
  minSizeCu: number((n) => n.positive())
    .default(0.25)
    .describe("Smallest compute size the platform offers, in CU. Default 0.25.")
    .meta({ section: "2.4, 8" }),
  maxSizeCu: number((n) => n.positive())
    .default(7)
    .describe("Largest compute size the platform offers, in CU. Default 7; raise it on a larger platform.")
    .meta({ section: "2.4, 8" }),
  maxAutoscalingSpreadCu: number((n) => n.positive())
    .default(8)
    .describe("Largest distance between the autoscaling minimum and maximum, in CU. Default 8.")
    .meta({ section: "2.4" }),
  maxRequestsPerSecond: number((n) => n.positive())
    .optional()
    .describe("Never more calls a second than this. Default: as fast as the platform allows.")
    .meta({ section: "8" }),
  operationTimeoutSeconds: number((n) => n.positive().max(604_800))
    .default(600)
    .describe(
      "How long to wait for operations where `customTimeouts` is silent, in seconds, up to 604800. Default 600.",
    )
    .meta({ section: "4.2" }),
  requestTimeoutSeconds: number((n) => n.positive().max(3_600))
    .default(30)
    .describe("Timeout of one request's headers and of its body, in seconds, up to 3600. Default 30."),
  maxAnswerBytes: number((n) => n.int().positive())
    .optional()
    .describe("Largest answer that is read, in bytes. Default 33554432 (32 MiB)."),
  moves: z
    .enum(["inPlace", "replace"])
    .default("inPlace")
    .describe(
      "What another `branchId` means: `inPlace` moves the endpoint where the platform allows it; `replace` always replaces it, for a " +
        "platform that has no moves. Default `inPlace`.",
    )
    .meta({ section: "3.2, 4.5" }),
  adoptInterrupted: boolean()
    .default(false)
    .describe(
      "Whether a create takes up an endpoint that an interrupted run made for the same resource, or the same member of a fleet. Without " +
        "it, a read-write endpoint is refused while that one is on its branch, and so is a fleet; a single read replica is created beside " +
        "it, with a warning that names the one that was left. It trusts that no other stack has an endpoint with such a name. Default " +
        "false. Falls back to the environment variable PGCOMPUTE_ADOPT_INTERRUPTED.",
    ),
  traceFile: z
    .string()
    .optional()
    .describe(
      "A file that every call to the platform is added to, for support: a line of JSON each, with time, method, path, status, request " +
        "id and milliseconds, and never the key. Default: none. Falls back to the environment variable PGCOMPUTE_TRACE_FILE.",
    ),
});

/** The configuration after defaults. */
export type ProviderConfig = z.output<typeof configModel>;

/** A configuration key without its namespace. */
export type ConfigKey = keyof typeof configModel.shape;

/** The environment variables that stand in where the configuration is silent. */
export const configEnvironment: Partial<Record<ConfigKey, string>> = {
  apiKey: "PGCOMPUTE_API_KEY",
  baseUrl: "PGCOMPUTE_BASE_URL",
  adoptInterrupted: "PGCOMPUTE_ADOPT_INTERRUPTED",
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
