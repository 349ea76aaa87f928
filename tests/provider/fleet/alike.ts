/** A stack of one endpoint, single or a fleet's only member: both have the same life, and the results are compared. */

import { expect, it } from "vitest";
import type { EndpointState, Fault, RequestLogEntry } from "../../../emulator";
import type { PartialFailure } from "../../engine-model/deployment/resource";
import {
  justBefore,
  type Options,
  type Process,
  type Program,
  type Run,
  useStack,
  type Values,
  type Verb,
} from "../../engine-model/stack";

/** What one run came to. A replacement within a fleet is an update of it. */
interface Outcome {
  /** What was planned; nothing where it was refused. */
  change: string;
  failed: boolean;
  /** Whether an endpoint is behind the resource afterwards, and whether it is the one from before. */
  endpoint: "none" | "new" | "same";
  /** The changes that were asked for, such as `update`, in their order, without those that had to wait for others. */
  sent: string[];
  /** What the platform has. */
  platform: Values[];
}

/** A stack with one endpoint, `main` or the member of that name, on the first of two empty branches. */
export type Alone = Awaited<ReturnType<typeof useAlone>>;

/** What is done, what the messages of the runs that fail have to say, and what the lines of the others. */
export interface Case {
  play(alone: Alone): Promise<unknown>;
  messages?: readonly RegExp[];
  lines?: readonly RegExp[];
  /** The changes that the last run asks for, and what the platform has of the endpoint then. */
  sent?: readonly string[];
  shown?: Values;
}

/** Faults that fail an operation, and calls of a verb; and what is said of the first. */
export const fails = { on: "operation", effect: { kind: "fail" } } as const;
export const suspendFails = { ...fails, action: "suspend_compute" };
export const startFails = { ...fails, action: "start_compute" };
export const refuses = (verb: string, status = 400) =>
  ({ route: `endpoints.${verb}`, effect: { kind: "status", status } }) as const;
export const failed = /ended as "failed"/;

/** Opens such a stack, of which nothing exists yet. */
export async function useAlone(host: Process["host"], isFleet: boolean) {
  const used = await useStack({}, host);
  const { bench, stack, admin, projectId } = used;
  const [branch = "", other = ""] = used.branches(2);
  const name = isFleet ? "fleet" : "main";
  const id = () => stack.ids()[isFleet ? "fleet/main" : "main"] ?? "";
  const options: Options = {};
  const outcomes: Outcome[] = [];
  const messages: string[] = [];
  const lines: string[] = [];

  /** The program of a read-write endpoint on the first branch, with these changes. */
  const program = (changes: Values): Program => {
    const main = { projectId, branchId: branch, type: "read_write", ...changes };
    return { [name]: { args: isFleet ? { endpoints: { main } } : main } };
  };

  const seen = async (what: string, run: () => Promise<Run>) => {
    const before = id();
    admin.clearLog();
    const { changes, rows, ...ended } = await run();
    const error = ended.error as PartialFailure | undefined;
    if (error) messages.push(isFleet && error.reasons ? error.reasons.slice(1).join("; ") : error.message);
    // A refresh compares as well, and plans nothing.
    if (what !== "refresh") lines.push(...rows.flatMap((row) => clausesOf(row, projectId)));
    const planned = what || (changes.main ?? "");
    outcomes.push({
      change: error ? "" : (CHANGES[planned] ?? planned),
      failed: error !== undefined,
      endpoint: id() === "" ? "none" : id() === before ? "same" : "new",
      sent: sentIn(admin.log()),
      platform: shownOf(bench.emulator.endpointId, admin.project(projectId).endpoints, [branch, other]),
    });
  };
  const each = async (all: Values[], run: (program: Program) => Promise<Run>) => {
    for (const changes of all.length > 0 ? all : [{}]) await seen("", () => run(program(changes)));
  };

  return {
    ...{ ...used, branch, other, id, outcomes, messages, lines },
    /** A run for each set of changes; one without any where none is given. */
    up: (...changes: Values[]) => each(changes, (one) => stack.up(one, options)),
    preview: (...changes: Values[]) => each(changes, (one) => stack.preview(one, options)),
    /** Previews a replacement by force. */
    replace: () => each([], (one) => stack.preview(one, { ...options, replace: [name] })),
    refresh: () => seen("refresh", () => stack.refresh()),
    /** Imports an endpoint that is there. */
    imported: (endpointId: string) =>
      seen("import", () => stack.import(name, `${projectId}/${isFleet ? "main=" : ""}${endpointId}`)),
    destroy: () => seen("delete", () => stack.destroy(options)),
    /** Does what is to have so many milliseconds a change. */
    async within(timeoutMs: number, work: () => Promise<unknown>) {
      options.timeoutMs = timeoutMs;
      await work();
      delete options.timeoutMs;
    },
    /** Does it while the faults strike. */
    async under(faults: Fault | readonly Fault[], work: () => Promise<unknown>) {
      const added = [faults].flat().map((fault) => admin.addFault(fault));
      await work();
      for (const one of added) admin.removeFault(one);
    },
    /** Does it while somebody else acts right before the step. */
    async asStepBegins(verb: Verb, act: () => unknown, work: () => Promise<unknown>) {
      options.beforeStep = justBefore(verb, act);
      await work();
      delete options.beforeStep;
    },
    /** A run that is killed in the end: the engine keeps nothing of it. */
    async killed(run: () => Promise<unknown>) {
      const before = stack.engine.saved();
      await run();
      before.restore();
    },
    /** Somebody makes an endpoint on the first branch. */
    seed: (more: Values = {}) => admin.seedEndpoint(projectId, { branch_id: branch, ...more }).id,
    /** The only endpoint on the first branch. */
    idThere: () => admin.project(projectId).endpoints.find(({ branch_id }) => branch_id === branch)?.id ?? "none",
    /** Somebody else changes the endpoint. */
    changed: (fields: Values) => admin.changeEndpoint(id(), fields),
    /** Somebody else deletes the endpoint. */
    dropped: () => admin.dropEndpoint(id()),
    /** An operation of the endpoint that nobody here has asked for. */
    begins: (action: string) => admin.startOperation({ projectId, endpointId: id(), action }),
    waits: (ms: number) => bench.clock.pass(ms),
  };
}

/** Plays a case for an endpoint and for a fleet of one. */
export async function playBoth(host: Process["host"], { play }: Case): Promise<Record<"endpoint" | "fleet", Alone>> {
  const [endpoint, fleet] = [await useAlone(host, false), await useAlone(host, true)];
  await play(endpoint);
  await play(fleet);
  return { endpoint, fleet };
}

/** A test for each case: both go through it in the same way, and what is said of both is said as loud. */
export function holdAlike(host: Process["host"], cases: Record<string, Case>): void {
  it.each(Object.entries(cases))("%s", async (_, one) => {
    const { endpoint, fleet } = await playBoth(host, one);
    // A fleet replaces in an order of its own.
    expect(fleet.outcomes.map(inAnyOrder)).toEqual(endpoint.outcomes.map(inAnyOrder));
    for (const { messages, lines, outcomes } of [endpoint, fleet]) {
      expect(messages).toEqual((one.messages ?? []).map((message) => expect.stringMatching(message)));
      for (const line of one.lines ?? []) expect(lines.join("\n")).toMatch(line);
      const last = outcomes.at(-1);
      if (one.sent) expect(last?.sent).toEqual(one.sent);
      if (one.shown) expect(last?.platform[0]).toMatchObject(one.shown);
    }
    expect(fleet.lines).toEqual(expect.arrayContaining(endpoint.lines.filter((line) => !saidOtherwise.test(line))));
  });
}

/**
 * Messages that a fleet words differently: takeovers, how long members were away, and the setting that forbids moves.
 */
const saidOtherwise =
  /takes over endpoint|adopts endpoint|destroy will release it|restarted: away for|no moves \(pgcompute:moves\)/;

/** What comes to the same: the engine sees an adoption as a create, and a fleet whose member is replaced as updated. */
const CHANGES: Record<string, string> = { adopt: "create", new: "create", replace: "update", drop: "delete" };

/** What of an endpoint has to come out alike. */
const seenOf = [
  ...(["type", "autoscaling_limit_min_cu", "autoscaling_limit_max_cu", "suspend_timeout_seconds", "settings"] as const),
  ...(["pooler_enabled", "pooler_mode", "disabled", "passwordless_access"] as const),
  ...(["current_state", "pending_state", "restart_due", "max_connections", "connections"] as const),
];

function shownOf(seeded: string, all: readonly EndpointState[], branches: readonly string[]): Values[] {
  const own = all.filter(({ id }) => id !== seeded);
  return own.map((one) => ({
    branch: branches.indexOf(String(one.branch_id)),
    ...Object.fromEntries(seenOf.map((name) => [name, one[name]])),
  }));
}

function sentIn(log: readonly RequestLogEntry[]): string[] {
  const changes = log.filter(({ method, status }) => method !== "GET" && status !== 423);
  return changes.map(({ route }) => String(route).replace("endpoints.", ""));
}

function inAnyOrder({ sent, ...outcome }: Outcome): Outcome {
  return { ...outcome, sent: sent.toSorted() };
}

/** What is said to stay is kept in clauses: an endpoint joins them, and a fleet says of whom they are. */
function clausesOf({ level, message }: Run["rows"][number], projectId: string): string[] {
  if (level === "status") return [];
  const named = message.replace(/^main: /, "").replaceAll(projectId, "ID");
  const told = named.replace(/(\S+\/ep|\bbr)-[a-z0-9-]+|[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
  return told.split("; ").map((clause) => `${level === "warn" ? "warning" : level}: ${clause}`);
}
