/**
 * Bodies as forms (specification, section 5, item 4): brackets nest, and all values are text that the field's type
 * parses. JSON has its own types.
 */

import qs from "qs";
import { z } from "zod";
import { badRequest } from "../lib/errors";

/** The dialect of a body. */
export type Dialect = "json" | "form";

/** The scalar types of one dialect. */
export interface Scalars {
  number: z.ZodType<number>;
  integer: z.ZodType<number>;
  boolean: z.ZodType<boolean>;
  /** A map of text to text; a form writes an empty one as empty text. */
  textMap: z.ZodType<Record<string, string>>;
}

/**
 * Parses a form, such as `endpoint[settings][pg_settings][work_mem]=64MB`, with lists as
 * `endpoints[0][type]=read_write`. Throws 400 above 1,000 fields or a depth of 6.
 */
export function parseForm(text: string): unknown {
  try {
    return qs.parse(text, {
      depth: 6,
      strictDepth: true,
      parameterLimit: 1000,
      throwOnLimitExceeded: true,
      arrayLimit: 100,
      ignoreQueryPrefix: false,
    });
  } catch (error) {
    if (error instanceof RangeError) throw badRequest(`body: ${error.message}`);
    throw error;
  }
}

/** The scalar types for a dialect. */
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
