/**
 * The name that an endpoint is created with: it says for which owner it was made, and by which request, so that what an
 * interrupted run left is known again (docs/decisions/0004-ownership-name.md).
 */
import { createHash, randomBytes } from "node:crypto";
import type { EndpointRecord } from "../platform/records";

/** Who an endpoint is made for: an identity that nobody else has, and a name for people. */
export interface Owner {
  identity: string;
  name: string;
}

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
  return `${prefixOf(owner)}${random()}`;
}

/** A test whether an endpoint was created for this owner. */
export function ownershipOf(owner: Owner): (record: Pick<EndpointRecord, "name">) => boolean {
  const prefix = prefixOf(owner);
  return ({ name }) => name?.startsWith(prefix) ?? false;
}

/** What the names of an owner's endpoints begin with, up to the dash before the part that differs. */
export function ownershipStem(owner: Owner): string {
  return prefixOf(owner).slice(0, -1);
}

/** The endpoints that were created for an owner, newest first, found without a look at every one of them for each owner. */
export function indexByOwner(records: Iterable<EndpointRecord>): (owner: Owner) => EndpointRecord[] {
  const byPrefix = new Map<string, EndpointRecord[]>();
  for (const record of records) {
    const prefix = record.name?.slice(0, -NONCE_BYTES * 2) ?? "";
    byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), record]);
  }
  return (owner) =>
    [...(byPrefix.get(prefixOf(owner)) ?? [])].sort((a, b) => (b.createdAt ?? "").localeCompare(a.createdAt ?? ""));
}

/** The part of an ownership name that is for people; undefined for any other name. */
export function ownerNameIn({ name }: Pick<EndpointRecord, "name">): string | undefined {
  return name?.match(FORM)?.[1];
}

function prefixOf({ identity, name }: Owner): string {
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, MAX_NAME);
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, HASH_DIGITS);
  return `pulumi-${readable || "endpoint"}-${hash}-`;
}

function randomNonce(): string {
  return randomBytes(NONCE_BYTES).toString("hex");
}
