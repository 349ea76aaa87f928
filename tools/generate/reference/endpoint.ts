import { endpointOutputs } from "../../../provider/endpoint/outputs";
import {
  type EndpointProperty,
  endpointModel,
  endpointProperties,
  propertyOf,
} from "../../../provider/endpoint/properties";
import { computeSizesOf } from "../../../provider/endpoint/rules/compute-size";
import { specification } from "../../../provider/platform/profiles/profiles";
import { jsonSchemaOf } from "../json-schema";
import { code, page, propertyRows, table } from "./markdown";

/** docs/reference/endpoint.md: every property of the resource, from its model. */
export function endpointPage(): string {
  const inputs = jsonSchemaOf(endpointModel, "input");
  const { properties = {} } = inputs;
  const required = new Set(inputs.required);
  return page(
    "Endpoint",
    [
      "A compute endpoint: the Postgres compute that a branch's clients connect to. Its token is `pgcompute:index:Endpoint` with",
      "the plugin, and `pulumi-nodejs:dynamic/pgcompute:Endpoint` from the TypeScript class. Its id, which is also what",
      "`pulumi import` takes (plugin only), is `PROJECT/ENDPOINT`.",
    ].join("\n"),
    "## Inputs",
    table(
      ["property", "type", "default", "what it is"],
      propertyRows(inputs, (name, { default: preset }) => [
        preset === undefined ? (required.has(name) ? "required" : "") : code(JSON.stringify(preset)),
      ]),
    ),
    "A property that a program never sets is left to the platform and shows no difference.",
    "## When a program stops setting a property",
    table(
      ["property", "then"],
      [
        ...endpointProperties
          .map((name) => ({ name, value: propertyOf(name).resetTo }))
          .filter(({ value }) => value !== undefined)
          .map(({ name, value }) => [code(name), `is put back to ${code(JSON.stringify(value))}`]),
        ...endpointProperties
          .filter((name) => isKept(name) && !required.has(name) && properties[name]?.default === undefined)
          .map((name) => [code(name), "stays as it is, with a warning: the platform has no default for it"]),
      ],
    ),
    "## Outputs",
    "All inputs, as they are in force, and:",
    table(["property", "type", "what it is"], propertyRows(jsonSchemaOf(endpointOutputs, "output"))),
    "State, last activity and the time of the last change are no outputs, since the platform changes them by itself; the\nfunctions give them.",
    "## Sizes",
    "These are the sizes of the specification's platform; [platforms.md](../platforms.md) has those of every other. `maxSizeCu` narrows or widens them.",
    table(
      ["CU", "vCPU", "memory", "local file cache (a guideline)", "max_connections"],
      computeSizesOf(specification).map(({ cu, vcpu, memoryGb, sharedBuffersGuidelineGb, maxConnections }) => [
        String(cu),
        String(vcpu),
        `${memoryGb} GB`,
        `${sharedBuffersGuidelineGb} GB`,
        String(maxConnections),
      ]),
    ),
    "With autoscaling, `max_connections` is that of the minimum size.",
  );
}

/** True for a property that the platform has and that returns to no default. */
function isKept(name: EndpointProperty): boolean {
  const { resetTo, sent } = propertyOf(name);
  return resetTo === undefined && sent === undefined;
}
