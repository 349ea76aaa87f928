/** The programs that are struck, and what is in flight at that moment. */
import type { Declarations } from "../../support/hosts";
import type { Bench, Program } from "../../support/platform";
import { type Hold, moments } from "./held";

/** How many endpoints are created at once: three at each moment. */
const FLEET = 9;

/** The places of one test: projects of its own, so that every call tells by its path what it is for. */
export type Scene = ReturnType<typeof createScene>;

/** Seeds the projects of a test, without endpoints. */
export function createScene({ emulator: { admin } }: Bench) {
  const seed = () => admin.seedProject({ endpoint: false }).project.id;
  // Where most is, where endpoints are moved to, where one is deleted and made anew, and where a replica is.
  const projects = { home: seed(), away: seed(), anew: seed(), twin: seed() };
  const branches = new Map<string, string>();
  return {
    projects,
    projectIds: Object.values(projects),
    /** A branch for a name, the same each time, in a project. */
    branch(project: keyof typeof projects, name: string): string {
      const key = `${project}/${name}`;
      const known = branches.get(key) ?? admin.seedBranch(projects[project]).id;
      branches.set(key, known);
      return known;
    },
  };
}

/**
 * The program before and after the change that is struck: for each moment an endpoint that is updated, one that moves,
 * one that is replaced by a new one in another project, and one that is deleted and made anew; one that is struck
 * between its delete and its create; and a replica that is replaced beside itself.
 */
export function settled(scene: Scene, which: "old" | "new"): Declarations {
  const { home, away, anew, twin } = scene.projects;
  const isNew = which === "new";
  const sizeCu = isNew ? 2 : 1;
  const replacing = { replaceOnChanges: ["sizeCu"] };
  const each = moments.flatMap((moment) => {
    const at = (step: string, place = "") => scene.branch("home", `${step}-${moment}${place}`);
    const swapped = isNew
      ? { projectId: away, branchId: scene.branch("away", `swap-${moment}`) }
      : { projectId: home, branchId: at("swap") };
    return [
      [`update-${moment}`, { args: { projectId: home, branchId: at("update"), sizeCu } }],
      [`move-${moment}`, { args: { projectId: home, branchId: at("move", isNew ? "-b" : "-a") } }],
      [`swap-${moment}`, { args: swapped }],
      [`flip-${moment}`, { args: { projectId: home, branchId: at("flip"), sizeCu }, options: replacing }],
    ] as const;
  });
  return {
    ...Object.fromEntries(each),
    anew: { args: { projectId: anew, branchId: scene.branch("anew", "anew"), sizeCu }, options: replacing },
    twin: {
      args: { projectId: twin, branchId: scene.branch("twin", "twin"), type: "read_only", sizeCu },
      options: replacing,
    },
  };
}

/** So many endpoints, one in five of them a replica. */
export function fleet(scene: Scene): Declarations {
  const members = Array.from({ length: FLEET }, (_, index) => {
    const place = { projectId: scene.projects.home, branchId: scene.branch("home", `fleet-${index}`) };
    return [`fleet-${index}`, { args: { ...place, type: index % 5 === 0 ? "read_only" : "read_write" } }] as const;
  });
  return Object.fromEntries(members);
}

/** What is in flight when the old program gives way to the new one with its fleet. */
export function changesInFlight(scene: Scene, { idOf }: Program): Hold[] {
  const { home, away, anew, twin } = scene.projects;
  const pathOf = (name: string) => `/endpoints/${idOf(name)}`;
  return [
    ...thirds({ method: "POST", path: `${home}/endpoints` }),
    ...moments.flatMap((moment, skip): Hold[] => [
      { method: "PATCH", path: pathOf(`update-${moment}`), moment },
      { method: "PATCH", path: pathOf(`move-${moment}`), moment },
      { method: "POST", path: `${away}/endpoints`, moment, skip },
      { method: "DELETE", path: pathOf(`flip-${moment}`), moment },
    ]),
    // This one is let through, and its create is held.
    { method: "DELETE", path: pathOf("anew"), moment: "waiting" },
    { method: "POST", path: `${anew}/endpoints`, moment: "after" },
    { method: "POST", path: `${twin}/endpoints`, moment: "after" },
  ];
}

function thirds(call: Pick<Hold, "method" | "path">): Hold[] {
  const count = FLEET / moments.length;
  return moments.map((moment, index) => ({ ...call, moment, skip: index * count, count }));
}
