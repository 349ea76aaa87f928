import { z } from "zod";

type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array";

/** The part of JSON Schema that the models use, with the models' own annotations. */
export interface JsonSchema {
  type?: JsonType;
  /** Instead of `type`, where several types are allowed. */
  types?: JsonType[];
  description?: string;
  default?: unknown;
  enum?: string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
  /** Section of the specification. */
  section?: string;
  /** The reason why programs should no longer set it. */
  deprecationMessage?: string;
  /** True for a number that a separate rule requires to be whole. */
  integer?: boolean;
  /** The name of an object's type. */
  typeName?: "FleetDefaults" | "FleetMember" | "FleetEndpoint" | "FleetRollout";
  /** The name of the enum's type. */
  enumName?: string;
}

/** A model as JSON Schema: of a program's values (`input`), or of results (`output`). */
export function jsonSchemaOf(model: z.ZodType, io: "input" | "output"): JsonSchema {
  const text = JSON.stringify(z.toJSONSchema(model, { io, unrepresentable: "any" }));
  return JSON.parse(text, (_, one) => {
    if (!Array.isArray(one?.type)) return one;
    const { type: types, ...rest } = one;
    return { ...rest, types };
  });
}
