/** A fleet as an exported state has it, with its values in the clear. */
import { DRIFTED, DROPPED, IMPORTED } from "../../provider/endpoint/input-notes";
import { BOOKKEEPING } from "../../provider/endpoint/state";
import { memberInputs, withNotes } from "../../provider/fleet/parse-fleet";
import { decodeMembers, type StoredMember, type StoredMembers } from "../../provider/fleet/state";
import { nameOfUrn } from "../../provider/lib/owner";
import { CommandError } from "../exit-code";
import type { Host } from "../hosts";
import { type Path, reveal } from "./secrets";
import type { StoredResource } from "./stack-export";

/** Values of a resource. */
export type Values = Record<string, unknown>;

/** A fleet's values, and where secrets stand in them. */
export interface StoredFleet {
  inputs: Values;
  members: Map<string, StoredMember> & StoredMembers;
  secrets: { inputs: Path[]; outputs: Path[] };
}

/** The fleet of a resource; an empty one without. Throws a `CommandError` where the export hides a secret of it. */
export function openFleet(resource: StoredResource | undefined): StoredFleet {
  const inputs = reveal(resource?.inputs ?? {});
  const outputs = reveal(resource?.outputs ?? {});
  if (inputs.isHidden || outputs.isHidden) {
    throw new CommandError(
      "nothing was moved: the fleet has a secret that this export hides; use `pulumi stack export --show-secrets`",
    );
  }
  return {
    inputs: inputs.value as Values,
    members: decodeMembers(outputs.value as Values),
    // What is moved is written with its text in one, which is a secret as a whole then.
    secrets: {
      inputs: inputs.secrets,
      outputs: outputs.secrets.map(([top, ...rest]) => (top === BOOKKEEPING ? [top] : [top ?? "", ...rest])),
    },
  };
}

/** The inputs of each member in those of a fleet, with its notes. */
export function memberInputsOf(inputs: Values): Map<string, Values> {
  const keys = Object.keys((inputs.endpoints ?? {}) as Values);
  return new Map(keys.map((key) => [key, memberInputs(inputs, key) ?? {}]));
}

/** The inputs of a fleet with these members instead of those that it has. */
export function withMembers(inputs: Values, members: ReadonlyMap<string, Values>): Values {
  const replaced = ["endpoints", IMPORTED, DROPPED, DRIFTED];
  const rest = Object.entries(inputs).filter(([name]) => !replaced.includes(name));
  return { ...Object.fromEntries(rest), ...withNotes(members) };
}

/** The URN that a resource of another type and name would have in the same place. */
export function urnBeside({ urn, type }: Pick<StoredResource, "urn" | "type">, newType: string, name: string): string {
  const typed = urn.slice(0, urn.length - nameOfUrn(urn).length - "::".length);
  return `${typed.slice(0, typed.length - type.length)}${newType}::${name}`;
}

/** The values without the host's own: an endpoint's, and the notes on it. */
export function withoutHidden(all: Values): Values {
  const kept = [BOOKKEEPING, IMPORTED, DROPPED, DRIFTED];
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("__") || kept.includes(name)));
}

/** What a resource of the host needs among its inputs and its outputs; the paths are those of the secrets among its inputs. */
export function hiddenFor(
  { name: host, fleetType }: Host,
  { urn, type }: Pick<StoredResource, "urn" | "type">,
  secrets: readonly Path[],
): Values {
  if (host !== "dynamic") return {};
  const isFleet = type === fleetType;
  const names = isFleet ? secrets : [...new Set(secrets.map(([name]) => name))];
  return {
    __provider: `exports.handler=()=>require("pulumi-pgcompute/dynamic").${isFleet ? "fleetProvider" : "provider"}`,
    __urn: urn,
    ...(names.length > 0 && { __secret: names }),
  };
}
