/** The names of endpoints that tell for whom they were made: `pulumi-NAME-HASH-NONCE`. */
import { createHash } from "node:crypto";
import { isMember, keyOf, resourceOf, urnOf } from "../../engine-model/names";

const MARK = /^pulumi-.{1,30}-[0-9a-f]{12}-[0-9a-f]{8}$/;

type Named = { name?: string | undefined };

/** The name of an endpoint that was made for a resource or a member; `as` gives the URN that its stack has for it. */
export function markFor(name: string, nonce: string, as = (urn: string) => urn): string {
  const urn = as(urnOf(name));
  const shown = urn.split("::").slice(3).join("::");
  // A child of a fleet may have the URN of a member's row.
  const identity = isMember(name)
    ? JSON.stringify([as(urnOf(resourceOf(name))), keyOf(name)])
    : shown.includes("/")
      ? JSON.stringify([urn])
      : urn;
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, 12);
  const readable = shown.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return `pulumi-${readable}-${hash}-${nonce}`;
}

/** True for an endpoint that was made for a resource or a member. */
export function isMadeFor(name: string): (endpoint: Named) => boolean {
  const mark = markFor(name, "");
  return (endpoint) => endpoint.name?.startsWith(mark) === true;
}

/** True for an endpoint that was made for somebody. */
export function isMarked({ name = "" }: Named): boolean {
  return MARK.test(name);
}
