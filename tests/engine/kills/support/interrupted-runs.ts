import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Declarations } from "../../support/hosts";
import { said } from "../../support/look";
import type { Bench, Program } from "../../support/platform";
import { processesOf, untilNoneRuns } from "../../support/processes";
import type { Project } from "../../support/project";
import { type Hold, hold, release, releaseWhenAsked, untilInFlight } from "./held";
import { changesInFlight, createScene, fleet, type Scene, settled } from "./scene";
import type { Victim } from "./victims";

const WAY_ON = "PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up";
/** Enough for everything to be in flight at once. */
const args = ["--parallel", "48"];

interface Stage {
  bench: Bench;
  scene: Scene;
  program: Program;
  victim: Victim;
}

/**
 * A run that is struck, and made good by one run: creates of many endpoints with updates, moves and replacements, and
 * the deletes of these, at every moment. A delete alone sends and waits as that of a replacement does.
 */
export async function play(bench: Bench, victim: Victim): Promise<void> {
  const scene = createScene(bench);
  const program = bench.program(victim.host);
  const stage: Stage = { bench, scene, program, victim };
  await program.is(settled(scene, "old")).up({ args });
  for (const { id } of bench.emulator.admin.project(scene.projects.anew).endpoints) {
    // So that its delete takes no operation, and the create after it is reached.
    bench.emulator.admin.changeEndpoint(id, { current_state: "idle" });
  }
  const changed = { ...settled(scene, "new"), ...fleet(scene) };
  await strike(stage, changed, changesInFlight(scene, program));
  if (!victim.answered) await expectWayOn(stage, changed);
  await recover(stage, changed);
  const again = await program.is(changed).preview({ args });
  const same = Object.keys(changed).length;
  expect(again.changes).toEqual({ create: 0, update: 0, replace: 0, delete: 0, same });
  expect(said(again)).toBe("");
}

/** Begins an `up` of the program, waits until all that is to be held is in flight, strikes, and sees it end. */
export async function strike(
  { bench, program, victim }: Omit<Stage, "scene">,
  declarations: Declarations,
  holds: Hold[],
): Promise<void> {
  hold(bench, holds, victim);
  let text = "";
  const onText = (piece: string) => {
    text += piece;
  };
  const up = program.is(declarations).up({ expectFailure: true, args, onText });
  // What fails before the strike is what is to be shown, not that the strike came to nothing.
  await Promise.race([untilInFlight(bench, holds), up.then(({ text }) => Promise.reject(new Error(text)))]);
  const waits = holds.some(({ moment }) => moment === "waiting");
  await victim.strike({ project: program.project, text: () => text, waits });
  if (victim.answered) release(bench);
  await up;
  bench.emulator.admin.clearFaults();
  await freeStack(program.project);
}

/** What the engine left behind is taken away as its users would: its lock, and language hosts, which are not ours. */
async function freeStack(project: Project): Promise<void> {
  for (const { pid, command } of processesOf(project)) {
    if (/pulumi-language-/.test(command)) process.kill(pid, "SIGKILL");
  }
  await untilNoneRuns(project);
  if (!isLocked(project)) return;
  expect((await project.cli(["cancel", "--yes", "--stack", "dev"])).code).toBe(0);
}

/** What the state does not have is named by a preview, with the one command that takes it up. */
async function expectWayOn(stage: Stage, declarations: Declarations) {
  const known = idsInState(stage);
  const unknown = idsOnPlatform(stage).filter((id) => !known.includes(id));
  expect(unknown).not.toEqual([]);
  const text = said(await stage.program.is(declarations).preview({ expectFailure: true, args }));
  expect(text).toContain(WAY_ON);
  expect(unknown.some((id) => text.includes(id))).toBe(true);
}

/** One run sets all right: the plain one, or the one that the message names. */
async function recover(stage: Stage, declarations: Declarations) {
  const { bench, program, victim } = stage;
  const env = victim.answered ? {} : { PGCOMPUTE_ADOPT_INTERRUPTED: "1" };
  await releaseWhenAsked(bench, program.is(declarations).up({ env, args }));
  expectExactly(stage, declarations);
  await untilNoneRuns(program.project);
}

function isLocked({ folders, name }: Project): boolean {
  try {
    return readdirSync(join(folders.backend, ".pulumi", "locks", "organization", name, "dev")).length > 0;
  } catch {
    return false; // it was never locked
  }
}

/** The ids of all endpoints in the projects of the scene. */
function idsOnPlatform({ bench, scene }: Stage): string[] {
  const { admin } = bench.emulator;
  return scene.projectIds.flatMap((projectId) => admin.project(projectId).endpoints.map(({ id }) => id)).sort();
}

/** The ids of all endpoints in the state. */
function idsInState({ program }: Stage): string[] {
  return program.names().map(program.idOf).sort();
}

/** Fails unless platform and state have the declared endpoints, each where and as it is declared, and no other. */
function expectExactly(stage: Stage, declarations: Declarations): void {
  const { bench, program } = stage;
  const names = Object.keys(declarations).sort();
  expect(program.names().sort()).toEqual(names);
  expect(idsOnPlatform(stage)).toEqual(idsInState(stage));
  const seen = names.map((name) => {
    const { project_id, branch_id, type, autoscaling_limit_min_cu } = bench.emulator.admin.endpoint(program.idOf(name));
    const [id] = program.stored(name).id?.split("/") ?? [];
    return { name, id, project_id, branch_id, type, sizeCu: autoscaling_limit_min_cu };
  });
  const wanted = names.map((name) => {
    const { projectId, branchId, type = "read_write", sizeCu = 0.25 } = declarations[name]?.args ?? {};
    return { name, id: projectId, project_id: projectId, branch_id: branchId, type, sizeCu };
  });
  expect(seen).toEqual(wanted);
}
