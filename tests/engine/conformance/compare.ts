/** Plays the runs of a sequence on the model, each from the state that the real engine left. */
import { isDeepStrictEqual } from "node:util";
import { type Plan, run as runModel } from "../../engine-model/deployment/deployment";
import { isWhole } from "../../engine-model/deployment/graph";
import type { Resource, Version } from "../../engine-model/deployment/resource";
import { ProtectedError } from "../../engine-model/deployment/steps";
import type { Values } from "../../engine-model/words";
import { fromReal, type Played } from "./played";
import { Names, type Said } from "./program";
import { Difference, type Line, Recorded, type Unseen } from "./record";

/** Plays the runs of a sequence on the model. Returns the differences, by run. */
export async function compare(played: readonly Played[], version?: Version): Promise<string[]> {
  const names = new Names();
  const differences: string[] = [];
  for (const [at, one] of played.entries()) {
    const said = names.say(one.run);
    const difference = await differenceOf(one, said, version);
    const command = `${one.run.command} ${said.flags.join(" ")}`;
    if (!difference) continue;
    const record = one.lines.map((line) => JSON.stringify(line)).join("\n");
    differences.push(`run ${at}, ${command}: ${difference.message}\n${one.text}\n${record}`);
  }
  return differences;
}

/** The difference that is there whenever the unseen is done. */
async function differenceOf(played: Played, said: Said, version?: Version): Promise<Difference | undefined> {
  const differences: Difference[] = [];
  // Any of them may come first: what is left out of a run brings others along.
  const first = said.goals.map((goal) => [goal, ...said.goals.filter((one) => one !== goal)]);
  for (const goals of [said.goals, said.goals.toReversed(), ...first]) {
    for (const unseen of UNSEEN) {
      try {
        await holdRun(played, { ...said, goals }, unseen, version);
        return undefined;
      } catch (error) {
        if (!(error instanceof Difference)) throw error;
        differences.push(error);
      }
    }
  }
  // A run that spoils its own state ends by the order of its writes, which no record tells.
  const isSpoiled = played.code !== 0 && /snapshot integrity failure/.test(played.text);
  return isSpoiled ? undefined : differences[0];
}

const STEPS = [7, 0, 1, 2, 3, 4, 5, 6];
const UNSEEN: readonly Unseen[] = (["late", "before an end", "soon"] as const).flatMap((registers) =>
  STEPS.map((steps): Unseen => ({ registers, steps })),
);

async function holdRun(played: Played, said: Said, unseen: Unseen, version?: Version): Promise<void> {
  const { run, lines, code, before, after, pending, isHanging } = played;
  const { command, flags } = run;
  const isPreview = command === "preview";
  const choices = new Recorded(lines, isPreview, unseen);
  const plan: Plan = {
    ...{ version, choices, provider: choices.provider(), program: said.goals, isPreview },
    ...{ targets: said.targets, excludes: said.excludes, replaces: said.replaces },
    excludesDependents: flags.excludeDependents === true,
    refreshes: command === "refresh" || flags.refresh === true,
    refreshesOnly: command === "refresh",
    goesOn: flags.goesOn === true,
    // From 3.276 on what failed is unknown to the program, and ends it no more.
    programFails: version !== "3.276",
    ...(flags.serial && { atOnce: 1 }),
  };
  const { state, failures, ...ended } = await runModel(before.map(fromReal), plan);
  const isStopped = failures.some(
    ({ verb, error }) => verb !== "step" || !(plan.goesOn || error instanceof ProtectedError),
  );
  choices.hold(isStopped);
  if (ended.isHanging !== isHanging) {
    throw new Difference(isHanging ? "the engine comes to no end" : "the model comes to no end");
  }
  const told = failures.map(({ urn, verb, error }) => `${verb} of ${urn.split("::").at(-1)}: ${error}`);
  if ((code !== 0) !== told.length > 0) {
    throw new Difference(`the engine ended with ${code}, the model with ${told.join("; ") || "no failure"}`);
  }
  if (pending.length > 0 && isWhole(state)) throw new Difference(`pending operations: ${JSON.stringify(pending)}`);
  holdState(state, after.map(fromReal), isStopped ? idsIn(lines) : undefined);
}

/** The resources that the provider was asked to change. */
function idsIn(lines: readonly Line[]): Set<unknown> {
  const changes = lines.flatMap((line) =>
    line.at === "begin" && /create|update|delete/.test(line.verb) ? [line] : [],
  );
  const made = lines.flatMap((line) => (line.at === "end" ? [line.answered?.id, line.failed?.id] : []));
  return new Set([...changes.map(({ asked }) => asked.id), ...made]);
}

/**
 * Throws where the states differ. After a failure nothing tells whether a resource that is the same was gone over before
 * the engine stopped, and has its new name and options: of those it is held that they are there.
 */
function holdState(model: readonly Resource[], real: readonly Resource[], changed?: ReadonlySet<unknown>): void {
  const pictureOf = (one: Resource) => {
    const { id, delete: isLeaving, pendingReplacement, ...rest } = picture(one);
    const isSeen = !changed || id === "" || changed.has(id);
    return { id, delete: isLeaving, pendingReplacement, ...(isSeen && rest) };
  };
  const inOrder = (some: readonly Resource[]) => some.map((one) => JSON.stringify(pictureOf(one))).sort();
  const [wanted, had] = [inOrder(model), inOrder(real)];
  if (isDeepStrictEqual(wanted, had)) return;
  const only = (some: string[], others: string[]) => some.filter((one) => !others.includes(one)).join("\n");
  throw new Difference(`the states differ. Engine:\n${only(had, wanted)}\nmodel:\n${only(wanted, had)}`);
}

/** What is compared of a resource. The stack's own and the provider's values are the engine's business. */
function picture(one: Resource): Values {
  const sorted = (values: Values) => Object.fromEntries(Object.entries(values).sort());
  const values = { inputs: sorted(one.inputs), outputs: sorted(one.outputs), parent: one.parent };
  return {
    ...{ urn: one.urn, id: /::pulumi:/.test(one.urn) ? "" : one.id },
    ...(!/::pulumi:/.test(one.urn) && values),
    dependencies: one.dependencies.toSorted(),
    propertyDependencies: sorted(one.propertyDependencies),
    ...{ protect: one.protect, retainOnDelete: one.retainOnDelete },
    ...{ ignoreChanges: one.ignoreChanges, importId: one.importId ?? "" },
    ...{ delete: one.isPendingDelete === true, pendingReplacement: one.isPendingReplacement === true },
    hasInitErrors: one.initErrors.length > 0,
  };
}
