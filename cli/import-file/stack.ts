/** The endpoints of an exported stack that change owner: single resources into a fleet, or members out of one. */
import { parseId } from "../../provider/endpoint/identity";
import { type EndpointProperty, endpointProperties } from "../../provider/endpoint/properties";
import { nameOfUrn } from "../../provider/lib/owner";
import type { Values } from "../../provider/lib/unknown";
import { listedFew, plain } from "../../provider/lib/wording";
import { CommandError, unreadable } from "../exit-code";
import { hostOf, isEndpoint } from "../hosts";
import { type Entry, entriesIn } from "../state/owners";
import { hasSecret } from "../state/secrets";
import { parseStackExport } from "../state/stack-export";
import type { Found } from "./found";

/** Properties of the endpoint's place, which each file format writes its own way. */
const place: readonly EndpointProperty[] = ["projectId", "branchId"];

/** Reads a stack's single endpoints as fleet members that adopt them. Leaves out secret values. */
export function singlesIn(text: string): Found[] {
  return entriesOf(text, ({ resource }) => isEndpoint(resource.type)).map((entry) => {
    const { urn, inputs = {}, protect, retainOnDelete } = entry.resource;
    const isAdopted = entry.owned.came === "adopted";
    const set = endpointProperties.filter((name) => isSet(inputs[name]) && !place.includes(name));
    const secret = set.filter((name) => hasSecret(inputs[name]));
    // A single resource releases an adopted endpoint, a fleet would delete it, so the member gets `retainOnDelete`.
    const shown = set.filter((name) => !secret.includes(name) && !(isAdopted && name === "adoptExisting"));

    return {
      ...foundOf(entry, nameOfUrn(urn)),
      said: Object.fromEntries(shown.map((name) => [name, inputs[name]])),
      options: {
        importId: entry.owned.id,
        ...(protect && { protect }),
        ...((retainOnDelete || isAdopted) && { retainOnDelete: true }),
      },
      secret,
    };
  });
}

/** Reads the members of a stack's fleets. Throws a `CommandError` for the dynamic host, which has no import. */
export function membersIn(text: string): Found[] {
  const entries = entriesOf(text, ({ resource }) => !isEndpoint(resource.type));
  const dynamic = entries.filter(({ resource }) => hostOf(resource.type)?.name === "dynamic");

  if (dynamic.length > 0) {
    const fleets = [...new Set(dynamic.map(({ resource }) => nameOfUrn(resource.urn)))];
    throw new CommandError(
      `nothing was written: dynamic resources cannot be imported, so the members of ${listedFew(fleets)} stay there until the fleet is the ` +
        'plugin\'s (docs/migrate.md, "From the dynamic resource")',
    );
  }
  return entries.map((entry) => foundOf(entry, entry.key ?? ""));
}

/** The endpoints of the stack's program, without those that are only read or pending deletion. */
function entriesOf(text: string, isWanted: (entry: Entry) => boolean): Entry[] {
  const entries = entriesIn(parseStackExport(text));
  const isLeft = ({ resource }: Entry) => !resource.delete && !resource.external;
  const wanted = entries.filter((entry) => isWanted(entry) && isLeft(entry));
  if (wanted.some(({ owned }) => owned.id === undefined)) {
    throw new CommandError(
      "this export hides a secret that has endpoints in it, and nothing was written; use what `pulumi stack export --show-secrets` prints",
    );
  }
  return wanted;
}

function foundOf({ owned, resource, key, member }: Entry, label: string): Found {
  // Not decrypted: no secret goes into a program.
  const { branchId, type }: Values = (key === undefined ? resource.outputs : member?.state) ?? {};
  if (typeof branchId !== "string")
    throw unreadable("state", `the branch of ${plain(nameOfUrn(owned.owner))} is a secret`);
  return { ...parseId(owned.id ?? ""), branchId, type: type === "read_only" ? type : "read_write", label, said: {} };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
