/** For whom an endpoint was made, and by which request: in the name that it is created with (docs/decisions/0004-ownership-name.md). */
import { createHash, randomBytes } from "node:crypto";
import { type Owner, ownerName } from "../lib/owner";
import type { EndpointRecord } from "../platform/records";

const MAX_NAME = 30;
const HASH_DIGITS = 12;
const NONCE_BYTES = 4;
const FORM = new RegExp(`^pulumi-(.{1,${MAX_NAME}})-([0-9a-f]{${HASH_DIGITS}})-[0-9a-f]{${NONCE_BYTES * 2}}$`);

/**
 * A new name of 1 to 64 characters: `pulumi-NAME-HASH-NONCE`. HASH stands for the owner's identity, so that an endpoint of
 * an interrupted run is known again; NONCE for this one request, so that an endpoint whose answer was lost is told from
 * every other.
 */
export function newOwnershipName(owner: Owner, random: () => string = randomNonce): string {
  return `${ownershipStem(owner)}-${random()}`;
}

/** What the names of the endpoints begin with that were made for an owner, up to the dash before the part that differs. */
export function ownershipStem(owner: Owner): string {
  const readable = ownerName(owner)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, MAX_NAME);
  const hash = createHash("sha256").update(owner).digest("hex").slice(0, HASH_DIGITS);
  return `pulumi-${readable || "endpoint"}-${hash}`;
}

/** A test whether an endpoint bears the name that this owner's endpoints are created with. */
export function isMadeFor(owner: Owner): (record: Pick<EndpointRecord, "name">) => boolean {
  const stem = `${ownershipStem(owner)}-`;
  return ({ name }) => name?.startsWith(stem) === true;
}

/** Endpoints with the newest first. */
export function newestFirst(records: Iterable<EndpointRecord>): EndpointRecord[] {
  return [...records].sort((a, b) => (b.createdAt ?? "").localeCompare(a.createdAt ?? ""));
}

/** The part of an ownership name that is for people; undefined for any other name. */
export function ownerNameIn({ name }: Pick<EndpointRecord, "name">): string | undefined {
  return name?.match(FORM)?.[1];
}

function randomNonce(): string {
  return randomBytes(NONCE_BYTES).toString("hex");
}
