import qs from "qs";
import { badRequest } from "../errors";

/**
 * Reads a form-encoded body, with brackets for nesting: `endpoint[settings][pg_settings][work_mem]=64MB`, and
 * `endpoints[0][type]=read_write` for lists. All values are text; the schema of the field reads them. Throws 400 for a
 * form of more than 1,000 fields or one that nests deeper than 6.
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
