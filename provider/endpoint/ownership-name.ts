/**
 * Generated endpoint names, which tell for whom and by which request an endpoint was made
 * (docs/decisions/0004-ownership-name.md).
 */
import { createHash, randomBytes } from "node:crypto";
import type { EndpointRecord } from "../platform/records";

/** The owner in a generated name: a unique identity, and a name for people. */
export interface MadeFor {
  identity: string;
  name: string;
}

const MAX_NAME = 30;
const HASH_DIGITS = 12;
const NONCE_BYTES = 4;
const FORM = new RegExp(`^pulumi-(.{1,${MAX_NAME}})-([0-9a-f]{${HASH_DIGITS}})-[0-9a-f]{${NONCE_BYTES * 2}}$`);

/** A new name of 1 to 64 characters: `pulumi-NAME-HASH-NONCE`. HASH identifies the owner, NONCE the request. */
export function newOwnershipName({ identity, name }: MadeFor, random: () => string = randomNonce): string {
  return `${stemOf(identity, name)}-${random()}`;
}

/** The common prefix of an owner's generated names, with the dash before the nonce. */
export function ownershipStem({ identity, name }: MadeFor): string {
  return stemOf(identity, name);
}

/** Builds a test whether an endpoint was made for the owner. */
export function ownershipOf(madeFor: MadeFor): (record: Pick<EndpointRecord, "name">) => boolean {
  const stem = ownershipStem(madeFor);
  return ({ name }) => name?.startsWith(`${stem}-`) === true;
}

/** The endpoints, newest first. */
export function newestFirst(records: Iterable<EndpointRecord>): EndpointRecord[] {
  return [...records].sort((a, b) => (b.createdAt ?? "").localeCompare(a.createdAt ?? ""));
}

/** The readable part of a generated name; undefined for any other name. */
export function ownerNameIn({ name }: Pick<EndpointRecord, "name">): string | undefined {
  return name?.match(FORM)?.[1];
}

function stemOf(identity: string, name: string): string {
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, MAX_NAME);
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, HASH_DIGITS);
  return `pulumi-${readable || "endpoint"}-${hash}`;
}

function randomNonce(): string {
  return randomBytes(NONCE_BYTES).toString("hex");
}
