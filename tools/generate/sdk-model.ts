import { endpointOutputs } from "../../provider/endpoint/outputs";
import { endpointModel } from "../../provider/endpoint/properties";
import { fleetModel, memberOptionsModel } from "../../provider/fleet/model";
import { functionModels } from "../../provider/functions/model";
import { type JsonSchema, jsonSchemaOf } from "./json-schema";

/** Writes a property's type where it may be another resource's output. */
type Wrap = (type: string) => string;

const plain: Wrap = (type) => type;
const input: Wrap = (type) => `Input<${type}>`;

/**
 * The TypeScript types for programs, with the models' descriptions as docs, which editors also show for mapped types.
 */
export function sdkModel(): string {
  const outputs = alwaysThere();
  const infos = {
    BranchInfo: ["A branch", functionModels.getBranch.result],
    EndpointInfo: ["An endpoint", functionModels.getEndpoint.result],
    OperationInfo: ["An operation", functionModels.getOperation.result],
  } as const;
  const parts = [
    "// Generated from the models in provider/ by `make generate`. Do not edit.",
    'import type { Input, Output } from "@pulumi/pulumi";',
    "",
    "/** Values that may be outputs of other resources, those of a map too. */",
    "export type Inputs<T> = { [Name in keyof T]: Input<Parts<T[Name]>> };",
    "type Parts<T> = T extends Record<string, string> ? { [Name in keyof T]: Input<T[Name]> } : T;",
    "",
    "/** What a program may say of an endpoint. */",
    interfaceOf("EndpointInputs", jsonSchemaOf(endpointModel, "input"), plain),
    "",
    "/** What every endpoint has besides. */",
    interfaceOf("EndpointOutputs", outputs, plain),
    "",
    "/** The inputs of an endpoint. */",
    "export type EndpointArgs = Inputs<EndpointInputs>;",
    "",
    "/** The properties of an endpoint, as outputs. */",
    "export type EndpointProperties = { readonly [Name in keyof All]-?: Output<All[Name]> };",
    "type All = Omit<EndpointInputs, keyof EndpointOutputs> & EndpointOutputs;",
    "",
    "/** Inputs of an endpoint that hold for every member of a fleet that does not set them itself. */",
    'export type FleetDefaults = Partial<Omit<EndpointArgs, "name">>;',
    "",
    "/** A member of a fleet: the inputs of its endpoint, and its options. */",
    interfaceOf("FleetMember extends Partial<EndpointArgs>", jsonSchemaOf(memberOptionsModel, "input"), input),
    "",
    "/** A member of a fleet as it is. */",
    'export type FleetEndpoint = Partial<EndpointInputs> & Pick<EndpointOutputs, "endpointId" | "host" | "pooledHost">;',
    "",
    "/** The waves in which a fleet's members go. */",
    interfaceOf("FleetRollout", jsonSchemaOf(fleetModel.shape.rollout.unwrap(), "input"), input),
    "",
    "/** The inputs of a fleet. */",
    interfaceOf("EndpointFleetArgs", jsonSchemaOf(fleetModel, "input"), input),
  ];
  for (const [name, [what, model]] of Object.entries(infos)) {
    const schema = jsonSchemaOf(model, "output");
    const text =
      name === "EndpointInfo" ? extending("EndpointOutputs", outputs, name, schema) : interfaceOf(name, schema, plain);
    parts.push("", `/** ${what} as the functions give it. */`, text);
  }
  for (const [name, { args, description }] of Object.entries(functionModels)) {
    if (name === "getComputeSize") continue;
    const type = `${name[0]?.toUpperCase()}${name.slice(1)}Args`;
    const text = interfaceOf(type, jsonSchemaOf(args, "input"), plain);
    parts.push("", `/** Arguments of \`${name}\`. ${description} */`, text);
  }
  return `${parts.join("\n")}\n`;
}

/** The properties that every endpoint has, including those with a default. */
function alwaysThere(): JsonSchema {
  const [inputs, set, outputs] = [
    jsonSchemaOf(endpointModel, "input"),
    jsonSchemaOf(endpointModel, "output"),
    jsonSchemaOf(endpointOutputs, "output"),
  ];
  const preset = (set.required ?? []).filter((name) => !inputs.required?.includes(name));
  const properties = Object.fromEntries(preset.map((name) => [name, set.properties?.[name] ?? {}]));
  return {
    properties: { ...properties, ...outputs.properties },
    required: [...preset, ...(outputs.required ?? [])],
  };
}

/** An interface with the properties that differ from, or are missing in, another one. */
function extending(base: string, { properties: shared = {} }: JsonSchema, name: string, schema: JsonSchema): string {
  const { properties = {} } = schema;
  const isOtherType = (one: string) => typeOf(shared[one] ?? {}, plain) !== typeOf(properties[one] ?? {}, plain);
  const isOther = (one: string) => isOtherType(one) || shared[one]?.description !== properties[one]?.description;
  const own = Object.entries(properties).filter(([one]) => isOther(one));
  const without = Object.keys(shared).filter(isOtherType);
  const parent = `Omit<${base}, ${without.map((one) => JSON.stringify(one)).join(" | ")}>`;
  return interfaceOf(`${name} extends ${parent}`, { ...schema, properties: Object.fromEntries(own) }, plain);
}

function interfaceOf(name: string, schema: JsonSchema, wrap: Wrap): string {
  const lines = Object.entries(schema.properties ?? {}).map(([property, one]) => {
    const type = wrap(typeOf(one, wrap));
    // Programs pass on undefined values, which count as absent.
    const given = schema.required?.includes(property) ? `: ${type}` : `?: ${type} | undefined`;
    return `${doc(one)}  ${property}${given};\n`;
  });
  return `export interface ${name} {\n${lines.join("")}}`;
}

function typeOf(schema: JsonSchema, wrap: Wrap): string {
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  if (schema.types) return schema.types.join(" | ");
  switch (schema.type) {
    case "integer":
      return "number";
    case "array":
      return `${typeOf(schema.items ?? {}, wrap)}[]`;
    case "object": {
      if (schema.typeName !== undefined) return schema.typeName;
      const values = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
      return `Record<string, ${wrap(typeOf(values, wrap))}>`;
    }
    default:
      return schema.type ?? "unknown";
  }
}

function doc({ description = "", default: preset, deprecationMessage: deprecated }: JsonSchema): string {
  const notes = preset === undefined ? [] : [`Default ${JSON.stringify(preset)}.`];
  const text = [description, ...notes].join(" ");
  return deprecated === undefined
    ? `  /** ${text} */\n`
    : `  /**\n   * ${text}\n   * @deprecated ${deprecated}\n   */\n`;
}
