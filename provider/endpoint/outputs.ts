/** The outputs of an endpoint that are no inputs: the source of the schema and the reference. */
import { z } from "zod";
import { defined } from "../lib/unknown";
import { endpointTable, type Property } from "./properties";
import { BOOKKEEPING } from "./state";

type Table = typeof endpointTable;
/** The properties in the table that every endpoint has, set or not. */
type Shown = {
  [P in keyof Table as Table[P] extends { output: string } ? P : never]: Table[P]["schema"] extends z.ZodOptional<
    infer S
  >
    ? S
    : Table[P]["schema"];
};

/** The specification's section on an endpoint's record. */
const RECORD_SECTION = "2.3";

const own = {
  endpointId: z.string().describe("The endpoint's id, which starts with `ep-`.").meta({ section: "2.3" }),
  host: z.string().describe("Host name for direct connections.").meta({ section: "2.3" }),
  pooledHost: z.string().describe("Host name for pooled connections.").meta({ section: "2.4" }),
  proxyHost: z.string().describe("Host name of the region's proxy.").meta({ section: "2.3" }),
  regionId: z.string().describe("The region, as provider and region name.").meta({ section: "2.3" }),
  createdAt: z.string().describe("When the endpoint was created, ISO 8601, UTC.").meta({ section: "2.3" }),
  maxConnections: z
    .int()
    .optional()
    .describe(
      "Postgres max_connections, which the size sets as the platform says. Absent for a size of which nothing is known.",
    )
    .meta({ section: "2.4" }),
};

/** The outputs unknown before the create: `host`, `endpointId`, and optional inputs that the platform fills in. */
export const endpointOutputs = z.object({ ...own, ...shownIn(endpointTable) });

function shownIn(table: Readonly<Record<string, Property>>): Shown {
  const shown = Object.entries(table).flatMap(([name, { schema, output, enumName }]) => {
    if (output === undefined) return [];
    const always = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
    return [[name, always.describe(output).meta(defined({ section: RECORD_SECTION, enumName }))] as const];
  });
  return Object.fromEntries(shown) as unknown as Shown;
}

/** For each input the outputs that reveal it, as they follow from it (specification, section 2.4). */
// A map, since a program may use names that every object has, such as `constructor`.
const derivedOutputs: ReadonlyMap<string, readonly string[]> = new Map([
  ["sizeCu", ["autoscalingLimitMinCu", "autoscalingLimitMaxCu", "maxConnections"]],
  ["autoscalingLimitMinCu", ["sizeCu", "maxConnections"]],
  ["autoscalingLimitMaxCu", ["sizeCu", "maxConnections"]],
]);

/** The places in a state that reveal the value at this place in the inputs. */
export function derivedPlaces<Step extends string | number>([first, ...rest]: readonly Step[]): (Step | string)[][] {
  // The bookkeeping repeats settings that the platform spells differently.
  if (first === "pgSettings") return [[BOOKKEEPING, "spelled", ...rest]];
  return (derivedOutputs.get(String(first)) ?? []).map((name) => [name]);
}
