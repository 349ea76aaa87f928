import { configModel } from "../../provider/config/model";
import { endpointOutputs } from "../../provider/endpoint/outputs";
import { endpointModel, endpointProperties, propertyOf } from "../../provider/endpoint/properties";
import { fleetModel, fleetOutputs } from "../../provider/fleet/model";
import { functionModels } from "../../provider/functions/model";
import { identity } from "../pack/identity.mjs";
import { endpointExamples, fleetExamples } from "./examples";
import { type JsonSchema, jsonSchemaOf } from "./json-schema";

const TOKEN = "pgcompute:index:";
const enumDescriptions: Record<string, string> = {
  EndpointType: "Kinds of compute endpoint.",
  PoolerMode: "How the pooler shares connections.",
  RestartWhen: "When a change that may cut connections is made.",
  Plan: "Plans of an account.",
};

/** Descriptions of the objects in functions' lists. */
const listed = {
  BranchInfo: "A branch as the functions give it.",
  EndpointInfo: "An endpoint as the functions give it.",
  OperationInfo: "An operation as the functions give it.",
  FleetDefaults: "Inputs of an endpoint that hold for every member of a fleet that does not set them itself.",
  FleetMember: "A member of a fleet: the inputs of its endpoint, and its options.",
  FleetEndpoint: "A member of a fleet as it is.",
  FleetRollout: "The waves in which a fleet's members go.",
};

/** A property in the package schema. */
type Property = Record<string, unknown>;

/** The package schema for the engine and the SDK generators, generated from the models. */
export function packageSchema(version: string): string {
  const types: Record<string, unknown> = {};
  const property = (schema: JsonSchema): Property => {
    const { deprecationMessage, default: preset } = schema;
    return {
      ...typeOf(schema, types, property),
      description: schema.description,
      ...(preset === undefined ? {} : { default: preset }),
      ...(deprecationMessage === undefined ? {} : { deprecationMessage }),
    };
  };
  const inputs = jsonSchemaOf(endpointModel, "input");
  const outputs = jsonSchemaOf(endpointOutputs, "output");
  const resolved = jsonSchemaOf(endpointModel, "output");
  const fleetInputs = jsonSchemaOf(fleetModel, "input");
  const fleet = jsonSchemaOf(fleetOutputs, "output");
  const config = configProperties(property);
  // Listing for programs also serves `pulumi do`.
  const query = jsonSchemaOf(functionModels.getEndpoints.args, "input");
  const schema = {
    name: "pgcompute",
    displayName: "Postgres Compute",
    version,
    description: "Compute endpoints of a managed, branchable Postgres platform.",
    keywords: [...identity.keywords, "category/database", "kind/native"],
    homepage: identity.homepage,
    repository: identity.repository,
    license: "Apache-2.0",
    logoUrl: identity.logoUrl,
    publisher: identity.publisher,
    // No SDK is published, so none has a package's name here: anybody could publish one under it.
    language: {
      nodejs: { respectSchemaVersion: true },
      python: { respectSchemaVersion: true, pyproject: { enabled: true } },
      go: { respectSchemaVersion: true },
      csharp: { namespaces: { pgcompute: "PgCompute" }, respectSchemaVersion: true },
    },
    config: { variables: config },
    provider: {
      description: "The account of the platform that endpoints are managed with.",
      inputProperties: config,
    },
    resources: {
      [`${TOKEN}Endpoint`]: {
        description: `A compute endpoint: the Postgres compute of a branch.\n\n${endpointExamples}`,
        inputProperties: replacing(mapValues(inputs.properties, property)),
        requiredInputs: (inputs.required ?? []).filter((name) => !hasDefault(inputs, name)),
        properties: replacing(
          mapValues({ ...resolved.properties, ...outputs.properties }, (one) => {
            const { default: _, ...rest } = property(one);
            return rest;
          }),
        ),
        required: [...new Set([...(resolved.required ?? []), ...(outputs.required ?? [])])],
        listInputs: {
          type: "object",
          properties: mapValues(query.properties, property),
          required: query.required ?? [],
        },
      },
      [`${TOKEN}EndpointFleet`]: {
        description: `Many compute endpoints as one resource: a map of them by keys of your own (docs/fleets.md).\n\n${fleetExamples}`,
        inputProperties: mapValues(fleetInputs.properties, property),
        requiredInputs: fleetInputs.required ?? [],
        properties: mapValues(fleet.properties, property),
        required: fleet.required ?? [],
      },
    },
    functions: Object.fromEntries(
      Object.entries(functionModels).map(([name, { description, args, result }]) => {
        const given = jsonSchemaOf(args, "input");
        const returned = jsonSchemaOf(result, "output");
        return [
          `${TOKEN}${name}`,
          {
            description,
            inputs: { properties: mapValues(given.properties, property), required: given.required ?? [] },
            outputs: { properties: mapValues(returned.properties, property), required: returned.required ?? [] },
          },
        ];
      }),
    ),
    types,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** Marks an endpoint's properties that replace it. Not within a fleet, where the engine would replace the fleet. */
function replacing(properties: Record<string, Property>): Record<string, Property> {
  const names = endpointProperties.filter((name) => propertyOf(name).effect === "replacement");
  const marked = names.map((name) => [name, { ...properties[name], replaceOnChanges: true }]);
  return { ...properties, ...Object.fromEntries(marked) };
}

function configProperties(property: (schema: JsonSchema) => Property): Record<string, Property> {
  const secrets = new Set(["apiKey"]);
  const { properties } = jsonSchemaOf(configModel, "output");
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([key, schema]) => {
      // The provider applies environment and defaults; a default here would put the key into the state.
      const { default: _, ...rest } = property(key === "plan" ? { ...schema, enumName: "Plan" } : schema);
      return [key, { ...rest, ...(secrets.has(key) ? { secret: true } : {}) }];
    }),
  );
}

function typeOf(
  schema: JsonSchema,
  types: Record<string, unknown>,
  property: (schema: JsonSchema) => Property,
): Property {
  if (schema.enum && schema.enumName) {
    types[`${TOKEN}${schema.enumName}`] = {
      type: "string",
      description: enumDescriptions[schema.enumName],
      enum: schema.enum.map((value) => ({ name: pascal(value), value })),
    };
    return { type: "string", $ref: `#/types/${TOKEN}${schema.enumName}` };
  }
  if (schema.types) {
    return { oneOf: schema.types.map((type) => ({ type: type === "number" && schema.integer ? "integer" : type })) };
  }
  switch (schema.type) {
    case "array":
      return { type: "array", items: objectOrPlain(schema.items ?? {}, types, property) };
    case "object": {
      if (schema.properties) return objectOrPlain(schema, types, property);
      const values = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
      return {
        type: "object",
        additionalProperties: values.type ? typeOf(values, types, property) : { type: "string" },
      };
    }
    default:
      return { type: schema.integer ? "integer" : (schema.type ?? "string") };
  }
}

/** Objects in lists and maps need a named type. */
function objectOrPlain(
  schema: JsonSchema,
  types: Record<string, unknown>,
  property: (schema: JsonSchema) => Property,
): Property {
  if (!schema.properties) return typeOf(schema, types, property);
  const isEndpoint = "host" in schema.properties;
  const name =
    schema.typeName ?? (isEndpoint ? "EndpointInfo" : "action" in schema.properties ? "OperationInfo" : "BranchInfo");
  types[`${TOKEN}${name}`] = {
    type: "object",
    description: listed[name],
    properties: mapValues(schema.properties, property),
    ...(schema.required && schema.required.length > 0 && { required: schema.required }),
  };
  return { $ref: `#/types/${TOKEN}${name}` };
}

function hasDefault(schema: JsonSchema, name: string): boolean {
  return schema.properties?.[name]?.default !== undefined;
}

function pascal(value: string): string {
  return value.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}

function mapValues<A, B>(record: Record<string, A> | undefined, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record ?? {}).map(([key, value]) => [key, change(value)]));
}
