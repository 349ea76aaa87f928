import { z } from "zod";

/** How a body was written: JSON has types of its own, a form has only text (section 5, item 4). */
export type Dialect = "json" | "form";

/** The scalar types of one dialect. */
export interface Scalars {
  number: z.ZodType<number>;
  integer: z.ZodType<number>;
  boolean: z.ZodType<boolean>;
  /** A map of text to text; a form writes an empty one as empty text. */
  textMap: z.ZodType<Record<string, string>>;
}

/** The scalar types that a body of the dialect is checked with. A form's text is read as the field's type asks. */
export function scalars(dialect: Dialect): Scalars {
  const number = z.number();
  const integer = z.int();
  const boolean = z.boolean();
  const textMap = z.record(z.string(), z.string());
  if (dialect === "json") return { number, integer, boolean, textMap };
  return {
    number: z.preprocess(readNumber, number),
    integer: z.preprocess(readNumber, integer),
    boolean: z.preprocess(readBoolean, boolean),
    textMap: z.preprocess((value) => (value === "" ? {} : value), textMap),
  };
}

function readNumber(value: unknown): unknown {
  return typeof value === "string" && /^-?\d{1,15}(\.\d{1,10})?$/.test(value) ? Number(value) : value;
}

function readBoolean(value: unknown): unknown {
  return value === "true" ? true : value === "false" ? false : value;
}
