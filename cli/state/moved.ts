/** What a move of endpoints between single resources and a fleet comes to, or why it cannot be. */
import { nameOfUrn } from "../../provider/lib/owner";
import { CommandError } from "../exit-code";
import { inOrder, rewriteReferences, type Successors } from "./references";
import { resourcesOf, type StackExport, type StoredResource, withResources } from "./stack-export";

/** An endpoint that moved. */
export interface MovedEndpoint {
  /** The single resource's name. */
  name: string;
  /** The key in the fleet. */
  key: string;
  endpointId: string;
}

/** A state after a move. */
export interface Move {
  state: StackExport;
  endpoints: MovedEndpoint[];
}

/** Throws the reasons, all at once, where there are any: each is about one resource. */
export function refuseIfAny(reasons: readonly string[]): void {
  if (reasons.length > 0) throw new CommandError(`nothing was moved: ${reasons.join("; ")}`);
}

/**
 * The state with some resources taken out and others put in after the first of them, with every reference rewritten. Throws a
 * `CommandError` where the new ones would wait for themselves.
 */
export function exchange(
  state: StackExport,
  gone: ReadonlySet<StoredResource>,
  put: readonly StoredResource[],
  successors: Successors,
): StackExport {
  const resources = resourcesOf(state);
  const at = resources.findIndex((one) => gone.has(one));
  const before = resources.slice(0, at).filter((one) => !gone.has(one));
  const after = resources.slice(at).filter((one) => !gone.has(one));
  const all = [...before, ...put, ...after].map((one) => rewriteReferences(one, successors));
  const ordered = inOrder(all);
  if ("resources" in ordered) return withResources(state, ordered.resources);
  const names = ordered.circle.map(nameOfUrn).join(", ");
  throw new CommandError(
    `nothing was moved: moved together, these would depend on themselves in a circle: ${names}. ` +
      "Leave out those that depend on each other through another resource",
  );
}

/** The names that match any of the patterns, in which `*` stands for any text, and the patterns that match none. */
export function select(
  names: readonly string[],
  patterns: readonly string[],
): { chosen: ReadonlySet<string>; unmatched: string[] } {
  const tests = patterns.map((pattern) => {
    const source = pattern.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
    return { pattern, regex: new RegExp(`^${source.join(".*")}$`) };
  });
  return {
    chosen: new Set(names.filter((name) => tests.some(({ regex }) => regex.test(name)))),
    unmatched: tests.filter(({ regex }) => !names.some((name) => regex.test(name))).map(({ pattern }) => pattern),
  };
}
