import type { JsonSchema } from "../json-schema";

/** A page of the reference: its title, and parts with an empty line between them. */
export function page(title: string, ...parts: string[]): string {
  const notice = "<!-- Generated from the models in provider/ by `make generate`. Do not edit. -->";
  return `${[notice, `# ${title}`, ...parts].join("\n\n")}\n`;
}

/** A table; a cell may hold any text. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A list; an item may hold any text. */
export function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item.replaceAll(/\n\s*/g, "<br>").replaceAll("<br>-", "<br>  -")}`).join("\n");
}

/** Text as code. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** A property's type in the words of its schema: `number`, `"a" or "b"`, `map of string`. */
export function typeText(schema: JsonSchema): string {
  const { type, enum: values, items, additionalProperties, properties, minimum, maximum } = schema;
  if (values) return values.map((value) => code(JSON.stringify(value))).join(" or ");
  if (type === "array") return `list of ${items ? typeText(items) : "values"}`;
  if (properties) return "object";
  if (type === "object" && typeof additionalProperties === "object") return `map of ${typeText(additionalProperties)}`;
  const bounded = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return `${type ?? "any"}${bounded ? `, ${minimum} to ${maximum}` : ""}`;
}

/** Properties as rows of name, type, description and section; `more` adds cells after the type. */
export function propertyRows(
  { properties = {} }: JsonSchema,
  more: (name: string, schema: JsonSchema) => string[] = () => [],
): string[][] {
  return Object.entries(properties).map(([name, schema]) => [
    code(name),
    typeText(schema),
    ...more(name, schema),
    schema.description ?? "",
    schema.section ?? "",
  ]);
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", "<br>");
}
