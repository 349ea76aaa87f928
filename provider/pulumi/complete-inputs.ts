/** The inputs of a real change. The engine sends checked ones; anything else must not become a call. */
import { parseInputs } from "../endpoint/parse-inputs";
import type { EndpointInputs } from "../endpoint/properties";
import { formatFailures } from "../lib/failure";
import { hasUnknown } from "../lib/unknown";
import { PgComputeError } from "../platform/errors";

/** The values as inputs. Throws `invalid_argument` where they cannot be used, or are not known yet. */
export function completeInputs(values: Readonly<Record<string, unknown>>): EndpointInputs {
  const { inputs, failures } = parseInputs(values);
  if (failures.length > 0) {
    const reasons = formatFailures(failures);
    throw new PgComputeError("invalid_argument", `the engine sent inputs that cannot be used: ${reasons}`);
  }
  if (hasUnknown(inputs)) {
    throw new PgComputeError("invalid_argument", "the engine sent inputs of which some are not known yet");
  }
  return inputs as EndpointInputs;
}
