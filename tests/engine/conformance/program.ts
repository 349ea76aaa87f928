/** A drawn program in the words of the engine's model, and as YAML. */
import { type Goal, Reference } from "../../engine-model/deployment/resource";
import type { Run, Slot } from "./sequences";

const PREFIX = "urn:pulumi:dev::conformance::";
const TYPE = "thing:index:Thing";

/** The URN of the stack itself. */
export const STACK = `${PREFIX}pulumi:pulumi:Stack::conformance-dev`;
/** The URN of the provider. */
export const PROVIDER = `${PREFIX}pulumi:providers:thing::default`;

/** A program, and the options that name its resources. */
export interface Said {
  goals: Goal[];
  yaml: Record<string, unknown>;
  flags: string[];
  targets: string[];
  excludes: string[];
  replaces: string[];
}

/** The URNs of a stack's resources, by their numbers, from one program to the next. */
export class Names {
  #before: (string | undefined)[] = [];

  /** Says a run's program and options. */
  say({ slots, flags, command }: Run): Said {
    const urns: (string | undefined)[] = [];
    const goals: Goal[] = [];
    const resources: Record<string, unknown> = {};
    for (const [at, slot] of slots.entries()) {
      if (!slot) continue;
      const there = (other: number | undefined) => (other !== undefined && slots[other] ? other : undefined);
      const parent = there(slot.parent);
      const urn = urnOf(at, slot, parent === undefined ? undefined : urns[parent]);
      const before = this.#before[at];
      const alias = slot.isAliased && before !== undefined && before !== urn ? before : undefined;
      urns[at] = urn;
      const own = goalOf(slot, { urn, alias, urns, there, parent });
      const from = parent === undefined ? undefined : goals.find((goal) => goal.urn === urns[parent]);
      goals.push({
        ...own,
        protect: own.protect ?? from?.protect,
        retainOnDelete: own.retainOnDelete ?? from?.retainOnDelete,
      });
      resources[nameOf(at, slot.generation)] = yamlOf(slot, { alias, slots, there, parent });
    }
    const last = slots.map((_, at) => urns[at] ?? this.#before[at]);
    const known = (which: readonly number[] = []) => [...new Set(which.flatMap((at) => last[at] ?? []))];
    const [targets, excludes] = [known(flags.target), known(flags.exclude)];
    const replaces = known(flags.replace === undefined ? [] : [flags.replace]);
    this.#before = last;
    const base: Goal[] = [{ urn: STACK, custom: false, inputs: {} }];
    if (goals.length > 0) base.push({ urn: PROVIDER, custom: true, isProvider: true, inputs: {} });
    const isSelecting = excludes.length > 0;
    return {
      goals: command === "destroy" || command === "refresh" ? [] : [...base, ...goals],
      yaml: resources,
      ...{ targets, excludes, replaces },
      flags: [
        ...targets.flatMap((urn) => ["--target", urn]),
        ...excludes.flatMap((urn) => ["--exclude", urn]),
        ...(flags.excludeDependents && isSelecting ? ["--exclude-dependents"] : []),
        ...replaces.flatMap((urn) => ["--replace", urn]),
        ...(flags.refresh ? ["--refresh"] : []),
        ...(flags.serial ? ["--parallel", "1"] : []),
        ...(flags.goesOn ? ["--continue-on-error"] : []),
      ],
    };
  }
}

/** The name of a resource. */
export function nameOf(at: number, generation: number): string {
  return `${"rstuvw"[generation % 6]}${at}`;
}

function urnOf(at: number, slot: Slot, parent: string | undefined): string {
  const type = parent === undefined ? TYPE : `${parent.slice(PREFIX.length).split("::")[0]}$${TYPE}`;
  return `${PREFIX}${type}::${nameOf(at, slot.generation)}`;
}

interface Around {
  alias: string | undefined;
  parent: number | undefined;
  there(other: number | undefined): number | undefined;
}

function goalOf(slot: Slot, around: Around & { urn: string; urns: (string | undefined)[] }): Goal {
  const { urn, alias, urns, there, parent } = around;
  const { size, place, site, protect, retainOnDelete, deleteBeforeReplace, ignoreChanges, isImported } = slot;
  const at = (other: number | undefined) => {
    const found = there(other);
    return found === undefined ? undefined : (urns[found] as string);
  };
  const [link, bond, after] = [at(slot.link), at(slot.bond), at(slot.dependsOn)];
  return {
    ...{ urn, custom: true, parent: parent === undefined ? STACK : (urns[parent] as string), provider: PROVIDER },
    inputs: {
      size,
      ...(place !== undefined && { place }),
      ...(site !== undefined && { site }),
      ...(link !== undefined && { link: new Reference(link, "out") }),
      ...(bond !== undefined && { bond: new Reference(bond, "out") }),
    },
    dependsOn: after === undefined ? [] : [after],
    aliases: alias === undefined ? [] : [alias],
    ...{ protect, retainOnDelete, deleteBeforeReplace },
    ignoreChanges: ignoreChanges ? IGNORED : [],
    importId: isImported ? importIdOf(slot) : undefined,
  };
}

const IGNORED = ["size", "place"];

function importIdOf({ generation }: Slot): string {
  return `found-${generation}`;
}

function yamlOf(slot: Slot, { alias, slots, there, parent }: Around & { slots: Run["slots"] }) {
  const { size, place, site, protect, retainOnDelete, deleteBeforeReplace, ignoreChanges, isImported } = slot;
  const name = (other: number | undefined) => {
    const found = there(other);
    return found === undefined ? undefined : nameOf(found, (slots[found] as Slot).generation);
  };
  const [link, bond, after] = [name(slot.link), name(slot.bond), name(slot.dependsOn)];
  const under = parent === undefined ? undefined : nameOf(parent, (slots[parent] as Slot).generation);
  const options = {
    ...(under !== undefined && { parent: `\${${under}}` }),
    ...(after !== undefined && { dependsOn: [`\${${after}}`] }),
    ...(alias !== undefined && { aliases: [alias] }),
    ...{ protect, retainOnDelete, deleteBeforeReplace },
    ...(ignoreChanges && { ignoreChanges: IGNORED }),
    ...(isImported && { import: importIdOf(slot) }),
  };
  return {
    type: TYPE,
    properties: {
      ...{ size, place, site },
      ...(link !== undefined && { link: `\${${link}.out}` }),
      ...(bond !== undefined && { bond: `\${${bond}.out}` }),
    },
    options,
  };
}
