/** Edits of programs that meet another endpoint on a branch, as data: each with what waits for the endpoints, and without. */
import type { Declarations, Declared } from "../support/hosts";
import type { Bench } from "../support/platform";
import type { Scene } from "./follower";

/** A case: its scene, and the most runs that it may take where that is not one for each endpoint. */
export interface Case extends Scene {
  runs?: number;
  /** The program of another stack. */
  elsewhere?: Declarations;
}

/** The branches of a case, and its projects. */
interface Places {
  projectId: string;
  /** Branches without endpoints. */
  b: string[];
  /** Another project, with branches. */
  other: { projectId: string; b: string[] };
  /** A branch with an endpoint that nobody has. */
  unowned: string;
}

/** Builds the scene of each case from its places. */
export const cases: Record<string, (places: Places) => Case> = {
  "a dropped occupant": ({ projectId, b }) => ({
    before: singles(projectId, { a: b[0], b: b[1] }),
    after: singles(projectId, { a: b[1] }),
  }),
  "a dropped occupant, where a new one comes": ({ projectId, b }) => ({
    before: singles(projectId, { old: b[0], stays: b[1] }),
    after: singles(projectId, { fresh: b[0], stays: b[1] }),
  }),
  "an index that shifts from the front": ({ projectId, b }) => ({
    before: singles(projectId, { "db-0": b[0], "db-1": b[1], "db-2": b[2] }),
    after: singles(projectId, { "db-0": b[1], "db-1": b[2] }),
  }),
  "an index that shifts at the back": ({ projectId, b }) => ({
    before: singles(projectId, { "db-0": b[0], "db-1": b[1] }),
    after: singles(projectId, { "db-0": b[2], "db-1": b[0], "db-2": b[1] }),
  }),
  "types that are exchanged": ({ projectId, b }) => ({
    before: {
      one: { args: { projectId, branchId: b[0] } },
      two: { args: { projectId, branchId: b[0], type: "read_only" }, options: { dependsOn: ["one"] } },
    },
    after: {
      two: { args: { projectId, branchId: b[0] } },
      one: { args: { projectId, branchId: b[0], type: "read_only" }, options: { dependsOn: ["two"] } },
    },
  }),
  "branches that are exchanged": ({ projectId, b }) => ({
    before: singles(projectId, { a: b[0], b: b[1] }),
    after: singles(projectId, { a: b[1], b: b[0] }),
    runs: 3,
  }),
  "a chain of four": ({ projectId, b }) => ({
    before: singles(projectId, { a: b[0], b: b[1], c: b[2], d: b[3] }),
    after: singles(projectId, { a: b[1], b: b[2], c: b[3], d: b[4] }),
  }),
  "an occupant that leaves a fleet": ({ projectId, b }) => ({
    before: fleet("f", projectId, { x: b[0], y: b[1] }),
    after: { ...fleet("f", projectId, { y: b[1] }), ...singles(projectId, { a: b[0] }) },
  }),
  "fleets that cross": ({ projectId, b }) => ({
    before: { ...fleet("f", projectId, { a: b[0], d: b[2] }), ...fleet("g", projectId, { b: b[1], c: b[3] }) },
    after: { ...fleet("f", projectId, { a: b[1], d: b[4] }), ...fleet("g", projectId, { b: b[5], c: b[2] }) },
  }),
  "an occupant of another stack": ({ projectId, b }) => ({
    elsewhere: singles(projectId, { theirs: b[1] }),
    before: singles(projectId, { a: b[0] }),
    after: singles(projectId, { a: b[1] }),
  }),
  "an occupant of another stack, where a new one comes": ({ projectId, b }) => ({
    elsewhere: singles(projectId, { theirs: b[1] }),
    before: singles(projectId, { stays: b[0] }),
    after: singles(projectId, { stays: b[0], fresh: b[1] }),
  }),
  "an occupant of nobody": ({ projectId, b, unowned }) => ({
    before: singles(projectId, { a: b[0] }),
    after: singles(projectId, { a: unowned }),
  }),
  "an occupant of nobody, where a new one comes": ({ projectId, b, unowned }) => ({
    before: singles(projectId, { stays: b[0] }),
    after: singles(projectId, { stays: b[0], fresh: unowned }),
  }),
  "a new name": ({ projectId, b }) => ({
    before: singles(projectId, { old: b[0] }),
    after: singles(projectId, { fresh: b[0] }),
    renamed: { fresh: "old" },
    runs: 2,
  }),
  "a new parent": ({ projectId, b }) => ({
    before: singles(projectId, { top: b[1], a: b[0] }),
    after: underTop(singles(projectId, { top: b[1], a: b[0] })),
    renamed: { a: "a" },
  }),
  "no parent any more": ({ projectId, b }) => ({
    before: underTop(singles(projectId, { top: b[1], a: b[0] })),
    after: singles(projectId, { top: b[1], a: b[0] }),
    renamed: { a: "a" },
  }),
  "a project that is replaced": ({ projectId, b, other }) => ({
    before: { ...singles(projectId, { a: b[0] }), ...singles(other.projectId, { b: other.b[0] }) },
    after: singles(other.projectId, { a: other.b[0] }),
  }),
};

/** Opens the places of a case. */
export function openPlaces(bench: Bench): Places {
  const { admin } = bench.emulator;
  const project = admin.seedProject().project.id;
  const unowned = bench.branch();
  admin.seedEndpoint(bench.projectId, { branch_id: unowned });
  return {
    projectId: bench.projectId,
    b: bench.branches(6),
    other: { projectId: project, b: [admin.seedBranch(project).id, admin.seedBranch(project).id] },
    unowned,
  };
}

/** The same case with an endpoint that waits for each resource, on a branch of its own. */
export function withDependents(bench: Bench, scene: Case): Case {
  const branches = new Map<string, string>();
  const waitsFor = (all: Declarations): Declarations => {
    const waiting = Object.keys(all).map((name) => {
      const was = scene.renamed?.[name] ?? name;
      const branchId = branches.get(was) ?? bench.branch();
      branches.set(was, branchId);
      const args = { projectId: bench.projectId, branchId };
      const waiting: Declared = { args, options: { dependsOn: [name] } };
      return [`after-${was}`, waiting] as const;
    });
    return { ...all, ...Object.fromEntries(waiting) };
  };
  return { ...scene, before: waitsFor(scene.before), after: waitsFor(scene.after) };
}

/** The endpoints that a case is about, in the program of before and after. */
export function concerned({ before, after, runs }: Case): number {
  const namesIn = (all: Declarations) =>
    Object.entries(all).flatMap(([name, { args, isFleet }]) =>
      isFleet ? Object.keys(args.endpoints as object).map((key) => `${name}/${key}`) : [name],
    );
  return runs ?? new Set([...namesIn(before), ...namesIn(after)]).size;
}

function singles(projectId: string, places: Record<string, string | undefined>): Declarations {
  return Object.fromEntries(
    Object.entries(places).map(([name, branchId]) => [name, { args: { projectId, branchId } }]),
  );
}

function fleet(name: string, projectId: string, places: Record<string, string | undefined>): Declarations {
  const endpoints = Object.fromEntries(Object.entries(places).map(([key, branchId]) => [key, { branchId }]));
  return { [name]: { args: { projectId, endpoints }, isFleet: true } };
}

function underTop(all: Declarations): Declarations {
  const a = all.a as Declarations[string];
  return { ...all, a: { ...a, options: { parent: "top" } } };
}
