import { fleetModel, fleetOutputs, memberOptionsModel, memberOutputs } from "../../../provider/fleet/model";
import { jsonSchemaOf } from "../json-schema";
import { code, page, propertyRows, table } from "./markdown";

/** docs/reference/fleet.md: every property of a fleet, from its model. */
export function fleetPage(): string {
  const inputs = jsonSchemaOf(fleetModel, "input");
  const required = new Set(inputs.required);
  const { properties = {} } = jsonSchemaOf(memberOutputs, "output");
  const own = ["endpointId", "host", "pooledHost"];
  const shown = { properties: Object.fromEntries(Object.entries(properties).filter(([name]) => own.includes(name))) };
  return page(
    "EndpointFleet",
    [
      "Many compute endpoints as one resource; [fleets](../fleets.md) says when that is the better way. Its token is",
      "`pgcompute:index:EndpointFleet` with the plugin, and `pulumi-nodejs:dynamic/pgcompute:EndpointFleet` from the TypeScript class. Its",
      "id is `fleet-` and 8 hex digits.",
    ].join("\n"),
    "## Inputs",
    table(
      ["property", "type", "", "what it is"],
      propertyRows(inputs, (name) => [required.has(name) ? "required" : ""]),
    ),
    "## Waves: `rollout`",
    table(["property", "type", "what it is"], propertyRows(inputs.properties?.rollout ?? {})),
    "## A member",
    "Every input of an [Endpoint](endpoint.md), of which any may come from `defaults`, and:",
    table(["property", "type", "what it is"], propertyRows(jsonSchemaOf(memberOptionsModel, "input"))),
    "## Outputs",
    table(["property", "type", "what it is"], propertyRows(jsonSchemaOf(fleetOutputs, "output"))),
    "Each of them has what the program sets, and:",
    table(["property", "type", "what it is"], propertyRows(shown)),
    "## Import",
    table(
      ["`pulumi import pgcompute:index:EndpointFleet NAME ID` (plugin only), where ID is", "takes in"],
      [
        [code("PROJECT"), "every endpoint of the project, each under its id"],
        [code("PROJECT/ep-1,ep-2"), "these, each under its id"],
        [code("PROJECT/KEY=ep-1,..."), "these, under keys of your own"],
      ],
    ),
  );
}
