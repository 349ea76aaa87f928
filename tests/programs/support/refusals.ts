/** What the errors of a run print, as a person reads them. */
import { isFleet, resourceOf } from "../../engine-model/names";
import type { Row } from "../../engine-model/process";
import type { Failed } from "../../engine-model/words";
import { type Printed, refusalsIn } from "../../support/printed";

/** The refusals that a failure has printed: those on members' own rows, then those on its own. */
export function printedBy({ name, error }: Failed, rows: readonly Row[]): Printed[] {
  const members = isFleet(name)
    ? rows.flatMap((row) =>
        row.level === "error" && resourceOf(row.name) === name ? [{ name: row.name, message: row.message }] : [],
      )
    : [];
  return refusalsIn([...members, { name, message: textOf(error) }]);
}

/** All that an error says: of a fleet, the reason of each member that failed. */
export function textOf(error: Error): string {
  const { reasons = [] } = error as { reasons?: readonly string[] };
  return [error.message, ...reasons].join("\n");
}
