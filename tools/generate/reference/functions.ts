import { isDeepStrictEqual } from "node:util";
import { functionModels } from "../../../provider/functions/model";
import { type JsonSchema, jsonSchemaOf } from "../json-schema";
import { page, propertyRows, table } from "./markdown";

/** docs/reference/functions.md: arguments and results of every function, from their models. */
export function functionsPage(): string {
  const parts = Object.entries(functionModels).flatMap(([name, { description, args, result }]) => {
    const given = jsonSchemaOf(args, "input");
    return [
      `## ${name}`,
      description,
      "Arguments:",
      table(["argument", "type", "required", "what it is"], requiredRows(given)),
      "Result:",
      ...resultTables(jsonSchemaOf(result, "output")),
    ];
  });
  return page(
    "Functions",
    [
      "With the plugin these are functions of the package (`pgcompute:index:getEndpoint`). In a TypeScript program they are imported",
      "from `pulumi-pgcompute`; each but `getComputeSize` gives a promise and has an `...Output` form that takes outputs of other",
      "resources, while `getComputeSize(cu, platform?)` and `getComputeSizes(platform?)` are plain lookups that say whose figures they are:",
      "those of the platform named, else of the stack's. `undefined` is a size that it does not have.",
      "",
      "In TypeScript a function runs in the program's own process. Of an inline program of the Automation API that is the caller's, which does not",
      "see `envVars` of the workspace: put key and address into the [stack's configuration](../how-to.md#run-it-by-the-automation-api).",
    ].join("\n"),
    ...parts,
  );
}

const heads = ["property", "type", "always there", "what it is"];

function resultTables(schema: JsonSchema): string[] {
  const [list] = Object.entries(schema.properties ?? {}).filter(([, { items }]) => items?.properties);
  if (!list) return [table(heads, requiredRows(schema))];
  const [name, { description, items = {} }] = list;
  const intro = `\`${name}\`: ${description}`;
  const twin = Object.entries(functionModels).find(([, { result }]) =>
    isDeepStrictEqual(jsonSchemaOf(result, "output").properties, items.properties),
  );
  return twin
    ? [`${intro} Each is as \`${twin[0]}\` gives it.`]
    : [`${intro} Each has:`, table(heads, requiredRows(items))];
}

function requiredRows(schema: JsonSchema): string[][] {
  const required = new Set(schema.required);
  return propertyRows(schema, (name) => [required.has(name) ? "yes" : "no"]);
}
