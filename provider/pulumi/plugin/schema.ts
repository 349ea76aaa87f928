import schema from "../../../schema.json";

/** The package's schema as the engine asks for it. */
export function packageSchema(): string {
  return JSON.stringify(schema);
}
