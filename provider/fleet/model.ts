/**
 * The models of a fleet's inputs and outputs: the source of the schema, the SDK's types, the reference and the parser.
 */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { endpointOutputs } from "../endpoint/outputs";
import { type EndpointProperty, endpointModel, endpointProperties } from "../endpoint/properties";

/** The options of a member, apart from its endpoint's inputs. */
export const memberOptionsModel = z.object({
  protect: z
    .boolean()
    .optional()
    .describe("Whether a plan that deletes or replaces the endpoint is refused, a delete of the whole fleet too."),
  retainOnDelete: z
    .boolean()
    .optional()
    .describe("Whether the endpoint stays on the platform when the member, or the fleet, is deleted."),
  importId: z
    .string()
    .optional()
    .describe(
      "An endpoint to take over, `PROJECT/ENDPOINT`, instead of creating one. It becomes the fleet's own, and whatever differs from " +
        "the program changes in place. Ignored once the fleet has it, except with `--replace`.",
    ),
});

/** An option of a member. */
export type MemberOption = keyof typeof memberOptionsModel.shape;

/** The names of a member's options. */
export const memberOptions = Object.keys(memberOptionsModel.shape) as MemberOption[];

const WHOLE = "has to be a whole number, 0 or more";
const COUNT = "has to be a whole number, 1 or more";
const MAX_UNAVAILABLE = 'has to be a whole number, 1 or more, or per cent of the members, such as "10%"';

/** A percentage of the members, such as `25%`. */
export const PERCENT = /^([1-9]\d?|100)%$/;

const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 1;

/** The rollout settings of a fleet. */
export const rolloutModel = z
  .object({
    maxUnavailable: z
      .union([z.number(), z.string()], MAX_UNAVAILABLE)
      .refine((value) => isCount(value) || PERCENT.test(String(value)), MAX_UNAVAILABLE)
      .optional()
      .describe(
        "How many members may be away at a time: a number, or per cent of the fleet's members, rounded down, to no less than one. Default " +
          "`25%`.",
      )
      .meta({ integer: true }),
    canary: z
      .array(z.string(), "has to be a list of members' keys")
      .optional()
      .describe("Keys of members that come first and alone, with the members that must precede them."),
    maxFailures: z
      .number(COUNT)
      .refine(isCount, COUNT)
      .optional()
      .describe(
        "After so many failures nothing more that may cut connections begins; the rest goes on. An endpoint that is in use does not count. " +
          "Default 1.",
      )
      .meta({ integer: true }),
  })
  .meta({ typeName: "FleetRollout" });

// A member's required properties may come from the defaults, so none is required here.
const anyInput = optional(endpointModel);
const defaultsModel = anyInput.omit({ name: true }).meta({ typeName: "FleetDefaults" });

/** One member as a program writes it. */
const memberModel = z.object({ ...anyInput.shape, ...memberOptionsModel.shape }).meta({ typeName: "FleetMember" });

/** A fleet as a program writes it. */
export const fleetModel = z.object({
  projectId: z.string().optional().describe("The project of every member that names none of its own."),
  defaults: defaultsModel
    .optional()
    .describe(
      "Inputs that hold for every member that does not set them itself. A member with `sizeCu` leaves their limits out, and one with a limit their `sizeCu`.",
    ),
  endpoints: z
    .record(z.string(), memberModel)
    .describe(
      "The endpoints by their keys: 1 to 63 characters of letters, digits, `.`, `_` and `-`. The key is the identity: another key is " +
        "another endpoint.",
    ),
  maxDeletions: z
    .number(WHOLE)
    .refine((value) => Number.isInteger(value) && value >= 0, WHOLE)
    .optional()
    .describe(
      "How many endpoints a plan may delete or replace; one that needs more is refused. Default: half of the members, or all of one " +
        "or two. The deletion of the fleet itself does not count.",
    )
    .meta({ integer: true }),
  rollout: rolloutModel
    .optional()
    .describe("Has members whose changes cut connections, or may, go in waves. Default: all at once."),
});

/** The input names of a fleet. */
export const fleetProperties = Object.keys(fleetModel.shape);

const { endpointId, host, pooledHost } = endpointOutputs.shape;

/** The outputs of a fleet's member. */
export const memberOutputs = z
  .object({ endpointId, host, pooledHost, ...anyInput.shape })
  .meta({ typeName: "FleetEndpoint" });

/** The outputs of a fleet. */
export const fleetOutputs = z.object({
  endpoints: z
    .record(z.string(), memberOutputs)
    .describe("The endpoints by their keys, with what the program sets of each."),
});

/** The model with every property optional and no defaults; the endpoint's own model applies them. */
function optional(model: typeof endpointModel): z.ZodObject<Record<EndpointProperty, z.ZodOptional>> {
  const shape: Partial<Record<EndpointProperty, z.ZodOptional>> = {};
  for (const name of endpointProperties) {
    const schema: z.ZodType = model.shape[name];
    const inner = schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? schema.unwrap() : schema;
    shape[name] = (inner as z.ZodType).optional().meta(schema.meta() ?? {});
  }
  return z.object(shape as Record<EndpointProperty, z.ZodOptional>);
}

/** The form of a member's key. The key is the identity: a new key is a new endpoint. */
export const KEY_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

const ID_BYTES = 4;
const collator = new Intl.Collator("en", { numeric: true });

/** A new fleet's id: `fleet-` and 8 hex digits. */
export function newFleetId(random: () => string = () => randomBytes(ID_BYTES).toString("hex")): string {
  return `fleet-${random()}`;
}

/** Compares two keys for display: `pr-2` before `pr-10`. */
export function byKey(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : Number(a > b));
}

/** The path of a member, or of its property, in the fleet's inputs and outputs: `endpoints["pr-101"].sizeCu`. */
export function memberPath(key: string, property = ""): string {
  const rest = property === "" || property.startsWith("[") ? property : `.${property}`;
  return `endpoints[${JSON.stringify(key)}]${rest}`;
}
