import { endpointOutputs } from "../../provider/endpoint/outputs";
import { endpointModel } from "../../provider/endpoint/properties";
import { fleetModel, memberOptionsModel, memberOutputs } from "../../provider/fleet/model";
import { functionModels } from "../../provider/functions/model";
import { type JsonSchema, jsonSchemaOf } from "./json-schema";

/** How a property's type is written where it may be an output of another resource. */
type Wrap = (type: string) => string;

const plain: Wrap = (type) => type;
const input: Wrap = (type) => `Input<${type}>`;

/** The TypeScript types that programs see, with the models' descriptions as their documentation. */
export function sdkModel(): string {
  const parts = [
    "// Generated from the models in provider/ by `make generate`. Do not edit.",
    'import { CustomResource, type Input, type Output, type Unwrap } from "@pulumi/pulumi";',
    "",
    "/** Values that may be outputs of other resources. */",
    "type Inputs<T> = { [Name in keyof T]: Input<T[Name]> };",
    "",
    "/** The inputs of an endpoint. */",
    interfaceOf("EndpointArgs", jsonSchemaOf(endpointModel, "input"), input),
    "",
    "/** The properties of an endpoint, as outputs. */",
    `export abstract class EndpointProperties extends CustomResource {\n${outputs()}}`,
  ];
  const ownOutputs = memberOutputs.pick({ endpointId: true, host: true, pooledHost: true });
  parts.push(
    "",
    "/** Inputs of an endpoint that hold for every member of a fleet that does not set them itself. */",
    "export type FleetDefaults = Partial<EndpointArgs>;",
    "",
    "/** A member of a fleet: the inputs of its endpoint, and its options. */",
    interfaceOf("FleetMember extends FleetDefaults", jsonSchemaOf(memberOptionsModel, "input"), input),
    "",
    "/** A member of a fleet as it is. */",
    interfaceOf("FleetEndpoint extends Unwrap<FleetDefaults>", jsonSchemaOf(ownOutputs, "output"), plain),
    "",
    "/** The waves in which a fleet's members go. */",
    interfaceOf("FleetRollout", jsonSchemaOf(fleetModel.shape.rollout.unwrap(), "input"), input),
    "",
    "/** The inputs of a fleet. */",
    interfaceOf("EndpointFleetArgs", jsonSchemaOf(fleetModel, "input"), input),
  );
  const infos = {
    BranchInfo: ["A branch", functionModels.getBranch.result],
    EndpointInfo: ["An endpoint", functionModels.getEndpoint.result],
    OperationInfo: ["An operation", functionModels.getOperation.result],
  } as const;
  for (const [name, [what, model]] of Object.entries(infos)) {
    parts.push("", `/** ${what} as the functions give it. */`, interfaceOf(name, jsonSchemaOf(model, "output"), plain));
  }
  for (const [name, { args, description }] of Object.entries(functionModels)) {
    if (name === "getComputeSize") continue;
    const type = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    const schema = jsonSchemaOf(args, "input");
    parts.push("", `/** Arguments of \`${name}\`. ${description} */`, interfaceOf(`${type}Args`, schema, plain));
    parts.push("", `/** Arguments of \`${name}Output\`. */`, `export type ${type}OutputArgs = Inputs<${type}Args>;`);
  }
  return `${parts.join("\n")}\n`;
}

function interfaceOf(name: string, schema: JsonSchema, wrap: Wrap): string {
  const lines = Object.entries(schema.properties ?? {}).map(([property, one]) => {
    const type = wrap(typeOf(one, wrap));
    // Programs pass on what may be undefined, which is as good as absent.
    const given = schema.required?.includes(property) ? `: ${type}` : `?: ${type} | undefined`;
    return `${doc(one)}  ${property}${given};\n`;
  });
  return `export interface ${name} {\n${lines.join("")}}`;
}

function outputs(): string {
  const [inputs, outs] = [jsonSchemaOf(endpointModel, "output"), jsonSchemaOf(endpointOutputs, "output")];
  const required = new Set([...(inputs.required ?? []), ...(outs.required ?? [])]);
  return Object.entries({ ...inputs.properties, ...outs.properties })
    .map(([property, one]) => {
      const absent = required.has(property) ? "" : " | undefined";
      return `${doc(one)}  declare readonly ${property}: Output<${typeOf(one, plain)}${absent}>;\n`;
    })
    .join("");
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
