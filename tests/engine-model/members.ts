/** What becomes of a fleet's members, as the fleet's own row and its detailed differences tell. */
import { membersIn as membersInState } from "../support/stored";
import type { DiffAnswer } from "./deployment/resource";
import type { Change, Values } from "./words";

/** What is known of a fleet when its plan has been printed. */
interface Planned {
  /** The newest line of the fleet's row that counts its members. */
  line?: string | undefined;
  diff?: Pick<DiffAnswer, "changes" | "told"> | undefined;
  inputs: Values;
  outputs?: Values | undefined;
}

const VERBS: Readonly<Record<string, Change>> = {
  ...{ create: "create", adopt: "adopt", change: "update" },
  ...{ replace: "replace", delete: "delete", release: "release" },
};

const PART = /(create|adopt|change|replace|delete|release) \d+(?: of \d+ members?)? \((.*?)\)/g;

/** True for the line of a fleet's row that counts what becomes of its members. */
export function isPlanLine(message: string): boolean {
  return /^will (create|adopt|change|replace|delete|release) \d/.test(message);
}

/** By key, what becomes of each member. Of very many, those that neither the line nor the differences name are left out. */
export function membersIn({ line = "", diff, inputs, outputs = {} }: Planned): Map<string, Change> {
  const keys = new Set([...keysOf(inputs), ...keysOf(outputs)]);
  const found = new Map<string, Change>();
  if (diff && !diff.changes) line = "";
  let isCut = false;
  for (const [, verb = "", listed = ""] of line.matchAll(PART)) {
    for (const key of listed.split(/, (?:and )?| and /)) {
      if (keys.has(key)) found.set(key, VERBS[verb] as Change);
      else isCut = true;
    }
  }
  for (const [key, change] of detailed(diff?.told?.detailed)) if (!found.has(key)) found.set(key, change);
  if (!isCut) for (const key of keys) if (!found.has(key)) found.set(key, "same");
  return found;
}

/** The members whose update moves the endpoint. */
export function movesIn(members: ReadonlyMap<string, Change>, { inputs, outputs = {} }: Planned): string[] {
  const stored = membersInState(outputs);
  return [...members].flatMap(([key, change]) => {
    const [was, is] = [stored.get(key)?.state.branchId, membersOf(inputs)[key]?.branchId];
    return change === "update" && was !== is ? [key] : [];
  });
}

function detailed(told: Readonly<Record<string, string>> = {}): [string, Change][] {
  return Object.entries(told).flatMap(([path, kind]): [string, Change][] => {
    const [, quoted, rest = ""] = /^endpoints\[("(?:[^"\\]|\\.)*")\](.*)$/.exec(path) ?? [];
    if (quoted === undefined) return [];
    const whole = kind === "add" ? "create" : kind === "delete" ? "delete" : "update";
    return [[JSON.parse(quoted) as string, rest === "" ? whole : "update"]];
  });
}

function keysOf(values: Values): string[] {
  return Object.keys(membersOf(values));
}

function membersOf({ endpoints }: Values): Record<string, Values> {
  return typeof endpoints === "object" && endpoints !== null ? (endpoints as Record<string, Values>) : {};
}
