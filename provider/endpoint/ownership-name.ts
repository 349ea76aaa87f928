import { createHash, randomBytes } from "node:crypto";
import type { EndpointRecord } from "../platform/records";
import { nameOf } from "./context";

const MAX_NAME = 30;
const HASH_DIGITS = 12;
const NONCE_BYTES = 4;

/**
 * The name that the provider gives an endpoint it creates, 1 to 64 characters: `pulumi-NAME-HASH-NONCE`. HASH stands
 * for the resource's URN, so that an endpoint of an interrupted run is known again; NONCE for this one create, so that
 * an endpoint whose answer was lost is told from every other.
 */
export function newOwnershipName(urn: string, random: () => string = randomNonce): string {
  return `${markPrefix(urn)}${random()}`;
}

/** True for an endpoint that some run created for the resource with this URN. */
export function isOwnedBy(record: Pick<EndpointRecord, "name">, urn: string | undefined): boolean {
  return ownershipOf(urn)(record);
}

/** The same question for many endpoints of one resource. */
export function ownershipOf(urn: string | undefined): (record: Pick<EndpointRecord, "name">) => boolean {
  if (urn === undefined) return () => false;
  const prefix = markPrefix(urn);
  return ({ name }) => name?.startsWith(prefix) ?? false;
}

function markPrefix(urn: string): string {
  const name = (nameOf(urn) ?? "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, MAX_NAME);
  const hash = createHash("sha256").update(urn).digest("hex").slice(0, HASH_DIGITS);
  return `pulumi-${name || "endpoint"}-${hash}-`;
}

function randomNonce(): string {
  return randomBytes(NONCE_BYTES).toString("hex");
}
