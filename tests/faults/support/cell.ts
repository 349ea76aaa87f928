/** One cell of the matrix: a fault that strikes one thing that the provider does. */
import type { EndpointState } from "../../../emulator";
import { askedBy } from "../../engine-model/person";
import type { Options, Run } from "../../engine-model/stack";
import type { Bench } from "../../support/bench";
import { keptIn } from "../../support/stored";
import { type Column, MAX_ANSWER_BYTES, type Row } from "./rows";
import { deviations, ownEndpoints, type Scene, setScene, unknownEndpoints } from "./scene";
import type { Subject } from "./subjects";

/** What became of one cell. */
export interface Outcome {
  /** `undefined` where it went well all the same. */
  error?: Error;
  /** Where it did not: whether Check refused it. */
  end: "refused by check" | "failed";
  /** What is left after it, in a few words. */
  left: string;
  /** Everything that must not be: empty in a good cell. */
  faults: string[];
}

const OUTAGE_MS = 3_000;

/** True where the fault of the row can strike the subject in this way at all. */
export function applies(subject: Subject, row: Row, column: Column): boolean {
  if (row.operation) return subject.operations && column !== "every call";
  if (row.other === "refused") return column !== "every time";
  // Before a create is planned there is none that could go.
  if (row.other === "gone") return column === "once" && subject.verb !== "check";
  // A list can be old only where one is read.
  if (row.call?.kind === "stale-list") return column === "every call";
  return true;
}

/** The platforms for a subject: one that stores names and, for creates, which are found by name, one that does not. */
export function platformsFor({ verb }: Subject): readonly boolean[] {
  return verb === "create" ? [true, false] : [true];
}

/** Plays one cell: prepares, strikes, asks the emulator what there is, and lets a run without faults finish. */
export async function playCell(
  bench: Bench,
  subject: Subject,
  row: Row,
  column: Column,
  keepsNames: boolean,
): Promise<Outcome> {
  const scene = setScene(bench, keepsNames);
  await subject.prepare(scene);
  const { stack } = scene;
  const program = subject.program(scene);
  const before = JSON.stringify([...stack.engine.state.values()]);
  const account = bench.account({ maxAnswerBytes: MAX_ANSWER_BYTES });
  let strike: ReturnType<typeof strikeNow> | undefined;
  const beforeStep: Options["beforeStep"] = async (verb) => {
    if (verb !== subject.verb || strike) return;
    strike = strikeNow(scene, subject, row, column);
    await strike;
  };
  const work = async () => {
    const options = { account, beforeStep };
    const run = await (subject.verb === "read" ? stack.refresh(options) : stack.up(program, options));
    await (await strike)?.over;
    return run;
  };
  const run = await bench.run(work());
  await calm(bench);

  const faults = strike ? [] : ["nothing was struck"];
  const how = howTold(run);
  const isTold = (text: string) => run.messages.some((message) => message.includes(text));
  const unknown = unknownEndpoints(scene, run).filter(({ name, branch_id }) => !how || !isTold(name ?? branch_id));
  faults.push(...unknown.map(({ id }) => `nobody knows of ${id}`));
  if (existsTwice(scene)) faults.push("an endpoint exists twice");
  // What somebody deletes after it was made is seen by the next refresh, as anything that others do.
  const isDrift = row.other === "gone" && run.ok;
  if (run.ok && subject.verb !== "read" && !isDrift) {
    faults.push(...deviations(scene, program).map((one) => `reported as done, but ${one}`));
  }
  const left = run.ok ? "" : leftBehind(scene, before, how);
  const later = await finishLater(scene, subject, run, isDrift);
  const problems = later.ok ? deviations(scene, program) : later.messages;
  // A delete that is sent again meets the lock of its own operation.
  const isWaitedFor = (message: string) =>
    /was still "(running|scheduling)" after|answered 423: .* is running; wait until it has ended/.test(message);
  const isEndless = row.endless && !run.ok && later.messages.every(isWaitedFor);
  if (!isEndless) faults.push(...problems.map((one) => `the next run: ${one}`));
  if (existsTwice(scene)) faults.push("an endpoint exists twice in the end");
  return { ...(run.error && { error: run.error }), end: endOf(run), left, faults };
}

/** Each program has one endpoint; beside it only what it replaces may be there, which has another type. */
function existsTwice(scene: Scene): boolean {
  const types = ownEndpoints(scene).map(({ type }) => type);
  return new Set(types).size < types.length;
}

/** What the messages of a run say of an endpoint that may exist. */
type How = "name given" | "place given" | "endpoint named" | undefined;

function howTold({ messages }: Run): How {
  if (askedBy(messages).adoptInterrupted) return "name given";
  const names = (text: string) => messages.some((message) => message.includes(text));
  if (!names("endpoints delete")) return undefined;
  return names("pgcompute endpoints list --project") ? "place given" : "endpoint named";
}

/** The next run, without faults, doing what the messages of the last one asked for. */
async function finishLater(scene: Scene, subject: Subject, last: Run, isDrift: boolean): Promise<Run> {
  const { bench, stack } = scene;
  const known = stack.known().join();
  const isNameless = ({ id, name }: EndpointState) => name === undefined && !known.includes(id);
  const nameless = last.messages.join().includes("endpoints delete") ? ownEndpoints(scene).filter(isNameless) : [];
  for (const { id } of nameless) bench.emulator.admin.dropEndpoint(id);
  const { adoptInterrupted, refreshes } = askedBy(last.messages);
  if (isDrift || refreshes) await stack.refresh({ adoptInterrupted });
  return stack.up(subject.program(scene), { adoptInterrupted });
}

function leftBehind({ stack }: Scene, before: string, how: How): string {
  const now = [...stack.engine.state.values()];
  const unfinished = now.find((stored) => stored.unfinished);
  if (unfinished) {
    const kept = keptIn(unfinished.state).operations ?? [];
    return kept.length === 0 ? "id kept" : `id and ${kept.length === 1 ? "the operation" : "the operations"} kept`;
  }
  if (how) return how;
  if (now.length === 0) return "nothing stored";
  return JSON.stringify(now) === before ? "state as before" : "new state kept";
}

/** Lets the fault begin; `over` resolves when one that ends by itself has ended. */
async function strikeNow(
  scene: Scene,
  subject: Subject,
  row: Row,
  column: Column,
): Promise<{ over?: Promise<unknown> }> {
  const { bench } = scene;
  const { admin } = bench.emulator;
  const count = column === "once" ? { count: 1 } : {};
  if (row.call) {
    admin.addFault({ route: column === "every call" ? "*" : subject.route, ...count, effect: row.call });
  } else if (row.operation) {
    admin.addFault({ on: "operation", ...count, effect: row.operation });
  } else if (row.other === "refused") {
    await admin.refuseConnections();
    // The client has to notice that its kept connections are gone, or its next call dies on one of them.
    while (bench.clock.connections() > 0) await new Promise((resolve) => setImmediate(resolve));
    if (column === "once") return { over: bench.clock.sleep(OUTAGE_MS).then(() => admin.acceptConnections()) };
  } else {
    // Somebody deletes the endpoint: at once where it is there, else half a second after it was made.
    const drop = () => {
      for (const { id } of ownEndpoints(scene)) admin.dropEndpoint(id);
    };
    if (ownEndpoints(scene).length > 0) drop();
    else return { over: bench.clock.sleep(500).then(drop) };
  }
  return {};
}

/** Ends every fault, and lets what is under way on the platform end. */
async function calm(bench: Bench): Promise<void> {
  const { admin } = bench.emulator;
  admin.clearFaults();
  await admin.acceptConnections();
  await bench.clock.pass(60_000);
}

/** How a run ended that did not go well, for the tables. */
function endOf({ failed: [first] }: Run): Outcome["end"] {
  return first?.verb === "check" ? "refused by check" : "failed";
}
