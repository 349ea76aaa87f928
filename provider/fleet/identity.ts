/** How a fleet and its members are named: the fleet by an id that it keeps for ever, a member by its key in the map. */
import { randomBytes } from "node:crypto";

/** A member's key, which is its identity: another key is another endpoint. */
export const KEY_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

const ID_PATTERN = /^fleet-[0-9a-f]{8}$/;
const ID_BYTES = 4;
const collator = new Intl.Collator("en", { numeric: true });

/** A new fleet's id: `fleet-` and 8 hex digits. */
export function newFleetId(random: () => string = () => randomBytes(ID_BYTES).toString("hex")): string {
  return `fleet-${random()}`;
}

/** True for text that is a fleet's id. */
export function isFleetId(id: string): boolean {
  return ID_PATTERN.test(id);
}

/** The order in which members are shown: `pr-2` before `pr-10`. */
export function byKey(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : Number(a > b));
}

/** Where a member, or a property of it, stands in the fleet's inputs and outputs: `endpoints["pr-101"].sizeCu`. */
export function memberPath(key: string, property = ""): string {
  const rest = property === "" || property.startsWith("[") ? property : `.${property}`;
  return `endpoints[${JSON.stringify(key)}]${rest}`;
}
