/** A stack of one endpoint, single or a fleet's only member, and what is seen of whatever it goes through. */
import { expect, it } from "vitest";
import type { Emulator, EndpointState } from "../../../emulator";
import type { AccountSettings } from "../../../provider/platform/account";
import type { PartialError } from "../../../provider/platform/errors";
import { type Bench, useBench } from "../../support/bench";
import { type Process, type Run, Stack, type Values } from "../support/stack";

/** What one run came to. A replacement within a fleet is an update of it. */
interface Outcome {
  /** What was planned; nothing where it was refused. */
  change: string;
  failed: boolean;
  /** Whether an endpoint is behind the resource afterwards, and whether it is the one from before. */
  endpoint: "none" | "new" | "same";
  /** The changes that were asked for, by their names: a fleet replaces in an order of its own. */
  sent: string[];
  /** What the platform has. */
  platform: Values[];
}

/** The one resource of a stack, `main` or the member of that name, on the first of two branches without endpoints. */
export class One {
  readonly outcomes: Outcome[] = [];
  readonly messages: string[] = [];
  readonly lines: string[] = [];
  /** The changes that the last run asked for, such as `update`, in their order. */
  sent: string[] = [];
  readonly emulator: Emulator;
  readonly projectId: string;
  readonly branches: readonly string[];
  settings: Partial<AccountSettings> = {};
  readonly #stack: Stack;
  readonly #name: string;

  constructor(
    bench: Bench,
    host: Process["host"],
    private readonly isFleet: boolean,
  ) {
    this.emulator = bench.emulator;
    this.#stack = new Stack(bench, { host });
    this.projectId = this.emulator.admin.seedProject().project.id;
    this.branches = [0, 1].map(() => this.emulator.admin.seedBranch(this.projectId).id);
    this.#name = isFleet ? "fleet" : "main";
  }

  /** The branch that it is not on at first. */
  get other(): string {
    return this.branches[1] ?? "";
  }

  get endpointId(): string | undefined {
    return this.#stack.ids()[this.isFleet ? "fleet/main" : "main"];
  }

  /** Runs with the inputs of a read-write endpoint on the first branch, with these changes. */
  up = (...changes: Values[]) => this.#runAll(changes, (program, options) => this.#stack.up(program, options));
  preview = (...changes: Values[]) =>
    this.#runAll(changes, (program, options) => this.#stack.preview(program, options));
  /** Previews a replacement by force. */
  replace = () =>
    this.#runAll([], (program, options) => this.#stack.preview(program, { ...options, replace: [this.#name] }));
  destroy = () => this.#run("delete", this.#stack.up({}, { settings: this.settings }));
  refresh = () => this.#run("refresh", this.#stack.refresh());
  import = (id: string) =>
    this.#run("import", this.#stack.import(this.#name, `${this.projectId}/${this.isFleet ? "main=" : ""}${id}`));

  /** Leaves behind what a run has made that was killed. */
  async leave(changes: Values = {}): Promise<void> {
    await this.up(changes);
    this.#stack.engine.state.delete(this.#name);
  }

  /** An endpoint that is there without it, on the first branch. */
  seed = (more: Values = {}) =>
    this.emulator.admin.seedEndpoint(this.projectId, { branch_id: this.branches[0] ?? "", ...more }).id;

  /** Restores a snapshot of the first branch in its place, and once more in the place of what came; gives the id of the branch that has it now. */
  async restoreInPlace(times = 1): Promise<string> {
    const headers = { authorization: `Bearer ${this.emulator.apiKey}`, "content-type": "application/json" };
    const call = async (path: string, body: object = {}) => {
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      const answer = await fetch(`${this.emulator.url}/projects/${this.projectId}/${path}`, init);
      this.emulator.admin.advance(10_000);
      return JSON.parse(await answer.text());
    };
    const { snapshot } = await call(`branches/${this.branches[0]}/snapshot`);
    let target: string | undefined;
    for (let done = 0; done < times; done += 1) {
      const body = { finalize_restore: true, ...(target && { target_branch_id: target }) };
      target = (await call(`snapshots/${snapshot.id}/restore`, body)).branch.id;
    }
    return target ?? "";
  }

  async #runAll(all: Values[], work: Stack["up"]): Promise<void> {
    for (const changes of all.length > 0 ? all : [{}]) {
      const inputs = { projectId: this.projectId, branchId: this.branches[0], type: "read_write", ...changes };
      const args = this.isFleet ? { endpoints: { main: inputs } } : inputs;
      await this.#run("", work({ [this.#name]: { args } }, { settings: this.settings }));
    }
  }

  async #run(what: string, work: Promise<Run>): Promise<void> {
    const before = this.endpointId;
    const { admin } = this.emulator;
    admin.clearLog();
    const { changes, rows, ...ended } = await work;
    const error = ended.error as PartialError | undefined;
    if (error) this.messages.push(this.isFleet && error.reasons ? error.reasons.slice(1).join("; ") : error.message);
    // What is said to stay is kept in clauses: an endpoint joins them, and a fleet says of whom they are.
    // A refresh compares as well, and plans nothing.
    for (const { level, message } of what === "refresh" ? [] : rows.filter((row) => row.level !== "status")) {
      for (const clause of message.replace(/^main: /, "").split("; ")) {
        const told = clause.replace(/(\S+\/ep|\bbr)-[a-z0-9-]+|[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
        this.lines.push(`${level === "warn" ? "warning" : level}: ${told}`);
      }
    }
    this.sent = admin
      .log()
      .flatMap(({ method, route }) => (method === "GET" ? [] : [String(route).replace("endpoints.", "")]));
    const planned = what || (changes.main ?? "");
    const now = this.endpointId;
    this.outcomes.push({
      change: error ? "" : (CHANGES[planned] ?? planned),
      failed: error !== undefined,
      endpoint: now === undefined ? "none" : now === before ? "same" : "new",
      sent: this.sent.toSorted(),
      platform: admin.project(this.projectId).endpoints.map((one) => viewOf(one, this.branches)),
    });
  }
}

/** What comes to the same: the engine sees an adoption as a create, and a fleet whose member is replaced as updated. */
const CHANGES: Record<string, string> = { adopt: "create", new: "create", replace: "update", drop: "delete" };

/** What of an endpoint has to come out alike. */
const seen = [
  ...(["type", "autoscaling_limit_min_cu", "autoscaling_limit_max_cu", "suspend_timeout_seconds", "settings"] as const),
  ...(["pooler_enabled", "pooler_mode", "disabled", "passwordless_access"] as const),
  ...(["current_state", "pending_state", "restart_due", "max_connections"] as const),
];

const viewOf = (one: EndpointState, branches: readonly string[]) => ({
  branch: branches.indexOf(String(one.branch_id)),
  ...Object.fromEntries(seen.map((name) => [name, one[name]])),
});

/** What is done, what the messages of the runs that fail have to say, and what the lines of the others. */
export interface Case {
  play(one: One): Promise<void>;
  messages?: readonly RegExp[];
  lines?: readonly RegExp[];
  /** The changes that the last run asks for, and what the platform has of the endpoint then. */
  sent?: readonly string[];
  shown?: Values;
}

/** Makes the calls or operations of the fault's kind fail while something is done. */
export async function struck(one: One, fault: Parameters<Emulator["admin"]["addFault"]>[0], work: () => Promise<void>) {
  const added = one.emulator.admin.addFault(fault);
  await work();
  one.emulator.admin.removeFault(added);
}

/** Faults that fail an operation, and calls of a verb. */
export const fails = { on: "operation", effect: { kind: "fail" } } as const;
export const refuses = (verb: string, status = 400) =>
  ({ route: `endpoints.${verb}`, effect: { kind: "status", status } }) as const;

/** What a fleet says in words of its own: that it takes something over, how long members were away, and by which setting nothing moves. */
const saidOtherwise =
  /takes over endpoint|adopts endpoint|destroy will release it|restarted: away for|no moves \(pgcompute:moves\)/;

/** Plays a case for an endpoint and for a fleet of one, on one platform. */
export async function playBoth(host: Process["host"], { play }: Case): Promise<Record<"endpoint" | "fleet", One>> {
  const bench = await useBench();
  const [endpoint, fleet] = [new One(bench, host, false), new One(bench, host, true)];
  await play(endpoint);
  bench.emulator.admin.clearFaults();
  await play(fleet);
  return { endpoint, fleet };
}

/** A test for each case: both go through it in the same way, and what is said of both is said as loud. */
export function holdAlike(host: Process["host"], cases: Record<string, Case>): void {
  it.each(Object.entries(cases))("%s", async (_, one) => {
    const { endpoint, fleet } = await playBoth(host, one);
    expect(fleet.outcomes).toEqual(endpoint.outcomes);
    for (const { messages, lines } of [endpoint, fleet]) {
      expect(messages).toEqual((one.messages ?? []).map((message) => expect.stringMatching(message)));
      for (const line of one.lines ?? []) expect(lines.join("\n")).toMatch(line);
    }
    const last = endpoint.outcomes.at(-1);
    if (one.sent) for (const { sent } of [endpoint, fleet]) expect(sent).toEqual(one.sent);
    if (one.shown) expect(last?.platform.find(({ branch }) => branch !== -1)).toMatchObject(one.shown);
    expect(fleet.lines).toEqual(expect.arrayContaining(endpoint.lines.filter((line) => !saidOtherwise.test(line))));
  });
}
