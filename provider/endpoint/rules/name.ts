/** Rules on an endpoint's name in the program (specification, section 2.3, published). */
import type { Failure } from "../../lib/failure";
import { cleanText } from "../../lib/redact";
import { isKnown, type Maybe } from "../../lib/unknown";
import { ownerNameIn } from "../ownership-name";

const LONGEST = 64;

/** Failures of a name that the platform refuses or changes, or that looks like a generated one. */
export function checkName(name: Maybe<string>): Failure[] {
  if (!isKnown(name)) return [];
  const refused = (reason: string) => [{ property: "name", reason }];
  const { length } = [...name];
  if (length === 0 || length > LONGEST) return refused(`has to be 1 to ${LONGEST} characters, and has ${length}`);
  if (cleanText(name) !== name || name.trim() !== name) {
    return refused("must not begin or end with a blank, nor hold line breaks, control or invisible characters");
  }
  if (ownerNameIn({ name }) === undefined) return [];

  return refused(
    "has the form of the names that this provider gives, which tell for whom an endpoint was made: take another",
  );
}
