/**
 * Bodies as forms (specification, section 5, item 4): brackets nest, and all values are text, which the type of the field
 * reads. JSON has types of its own.
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
 * Reads a form, such as `endpoint[settings][pg_settings][work_mem]=64MB`, and `endpoints[0][type]=read_write` for lists.
 * Throws 400 for a form of more than 1,000 fields or one that nests deeper than 6.
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

/** The scalar types that a body of the dialect is checked with. */
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
