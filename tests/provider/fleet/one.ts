/** A stack of one endpoint, single or a fleet's only member, and what is seen of whatever it goes through. */
import { expect, it } from "vitest";
import type { Emulator, EndpointState, Fault, RequestLogEntry } from "../../../emulator";
import type { AccountSettings } from "../../../provider/platform/account";
import type { PartialError } from "../../../provider/platform/errors";
import { type Options, type Process, type Program, type Run, Stack, type Values } from "../../engine-model/stack";
import { type Bench, useBench } from "../../support/bench";

/** What one run came to. A replacement within a fleet is an update of it. */
interface Outcome {
  /** What was planned; nothing where it was refused. */
  change: string;
  failed: boolean;
  /** Whether an endpoint is behind the resource afterwards, and whether it is the one from before. */
  endpoint: "none" | "new" | "same";
  /** What was asked for, by name: a fleet replaces in an order of its own. */
  sent: string[];
  /** What the platform has. */
  platform: Values[];
}

/** What a run's inputs change; told when it is its turn, where that depends on what came before. */
type Changes = Values | ((one: One) => Values);

/**
 * The one resource of a stack, `main` or the member of that name, on the first of two branches without endpoints. Each call adds a step, and
 * the steps are done one after the other.
 */
export class One {
  readonly outcomes: Outcome[] = [];
  readonly messages: string[] = [];
  readonly lines: string[] = [];
  /** The changes that the last run asked for, such as `update`, in their order, without those that had to wait for others. */
  sent: string[] = [];
  readonly admin: Emulator["admin"];
  readonly projectId: string;
  /** The branch that it is on at first, and another. */
  readonly branch: string;
  readonly other: string;
  /** The branch that a restore has put in the place of its own. */
  restored = "";
  /** Resolves when all steps are done. */
  done: Promise<unknown> = Promise.resolve();
  #options: Options = {};
  readonly #stack: Stack;
  readonly #name: string;

  constructor(
    readonly bench: Bench,
    host: Process["host"],
    private readonly isFleet: boolean,
  ) {
    this.admin = bench.emulator.admin;
    this.#stack = new Stack(bench, { host });
    this.projectId = this.admin.seedProject().project.id;
    [this.branch = "", this.other = ""] = [0, 1].map(() => this.admin.seedBranch(this.projectId).id);
    this.#name = isFleet ? "fleet" : "main";
  }

  get endpointId(): string {
    return this.#stack.ids()[this.isFleet ? "fleet/main" : "main"] ?? "";
  }

  /** Runs with the inputs of a read-write endpoint on the first branch, with these changes. */
  up = (...changes: Changes[]) => this.#runAll(changes, (program) => this.#stack.up(program, this.#options));
  preview = (...changes: Changes[]) => this.#runAll(changes, (program) => this.#stack.preview(program, this.#options));
  /** Previews a replacement by force. */
  replace = () =>
    this.#runAll([], (program) => this.#stack.preview(program, { ...this.#options, replace: [this.#name] }));
  destroy = () => this.does(() => this.#run("delete", this.#stack.up({}, this.#options)));
  refresh = () => this.does(() => this.#run("refresh", this.#stack.refresh()));

  /** Imports an endpoint that is there without it. */
  import = () =>
    this.does(() =>
      this.#run(
        "import",
        this.#stack.import(this.#name, `${this.projectId}/${this.isFleet ? "main=" : ""}${this.#seed()}`),
      ),
    );

  /** Anything else that happens next. */
  does(work: (one: this) => unknown): this {
    this.done = this.done.then(() => work(this));
    return this;
  }

  /** From here on runs are configured so. */
  with = (settings: Partial<AccountSettings> | ((one: One) => Partial<AccountSettings>)) =>
    this.does(() => {
      this.#options = { ...this.#options, settings: typeof settings === "function" ? settings(this) : settings };
    });

  /** From here on a change has so many milliseconds. */
  within = (timeoutMs?: number) =>
    this.does(() => {
      this.#options = { ...this.#options, part: { timeoutMs } };
    });

  /** The platform is so from here on. */
  on = (options: Parameters<Emulator["admin"]["configure"]>[0]) => this.does(() => this.admin.configure(options));
  waits = (ms: number) => this.does(() => this.bench.clock.pass(ms));

  /** What is done while the faults strike; or runs with these changes. */
  under(faults: Fault | readonly Fault[], work: ((one: One) => unknown) | Values = {}): this {
    const added: string[] = [];
    this.does(() => added.push(...[faults].flat().map((fault) => this.admin.addFault(fault))));
    if (typeof work === "function") work(this);
    else this.up(work);
    return this.does(() => {
      for (const one of added) this.admin.removeFault(one);
    });
  }

  /** A run that is killed: the engine keeps nothing of it. */
  killed(changes: Values = {}): this {
    const { engine } = this.#stack;
    let before = engine.state;
    return this.does(() => {
      before = new Map(engine.state);
    })
      .up(changes)
      .does(() => {
        engine.state = before;
      });
  }

  /** Somebody makes an endpoint, on the first branch where nothing else is said. */
  seed = (more: Values = {}) => this.does(() => this.#seed(more));
  /** Somebody else changes the endpoint. */
  changed = (fields: Values) => this.does(() => this.admin.changeEndpoint(this.endpointId, fields));
  /** Somebody else deletes the endpoint. */
  dropped = () => this.does(() => this.admin.dropEndpoint(this.endpointId));

  /** Restores a snapshot of the first branch in its place, and once more in the place of what came. */
  restoreInPlace(times = 1): this {
    const { apiKey, url } = this.bench.emulator;
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const call = async (path: string, body: object = {}) => {
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      const answer = await fetch(`${url}/projects/${this.projectId}/${path}`, init);
      this.admin.advance(10_000);
      return JSON.parse(await answer.text());
    };
    return this.does(async () => {
      const { snapshot } = await call(`branches/${this.branch}/snapshot`);
      for (let done = 0; done < times; done += 1) {
        const body = { finalize_restore: true, ...(this.restored && { target_branch_id: this.restored }) };
        this.restored = (await call(`snapshots/${snapshot.id}/restore`, body)).branch.id;
      }
    });
  }

  #seed(more: Values = {}): string {
    return this.admin.seedEndpoint(this.projectId, { branch_id: this.branch, ...more }).id;
  }

  #runAll(all: Changes[], work: (program: Program) => Promise<Run>): this {
    for (const changes of all.length > 0 ? all : [{}]) {
      this.does(() => {
        const more = typeof changes === "function" ? changes(this) : changes;
        const inputs = { projectId: this.projectId, branchId: this.branch, type: "read_write", ...more };
        return this.#run("", work({ [this.#name]: { args: this.isFleet ? { endpoints: { main: inputs } } : inputs } }));
      });
    }
    return this;
  }

  async #run(what: string, work: Promise<Run>): Promise<void> {
    const before = this.endpointId;
    const { admin } = this;
    admin.clearLog();
    const { changes, rows, ...ended } = await work;
    const error = ended.error as PartialError | undefined;
    if (error) this.messages.push(this.isFleet && error.reasons ? error.reasons.slice(1).join("; ") : error.message);
    // What is said to stay is kept in clauses: an endpoint joins them, and a fleet says of whom they are.
    // A refresh compares as well, and plans nothing.
    for (const { level, message } of what === "refresh" ? [] : rows.filter((row) => row.level !== "status")) {
      for (const clause of message.replace(/^main: /, "").split("; ")) {
        const told = clause
          .replaceAll(this.projectId, "ID")
          .replace(/(\S+\/ep|\bbr)-[a-z0-9-]+|[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
        this.lines.push(`${level === "warn" ? "warning" : level}: ${told}`);
      }
    }
    const isChange = ({ method, status }: RequestLogEntry) => method !== "GET" && status !== 423;
    this.sent = admin
      .log()
      .filter(isChange)
      .map(({ route }) => String(route).replace("endpoints.", ""));
    const planned = what || (changes.main ?? "");
    const now = this.endpointId;
    this.outcomes.push({
      change: error ? "" : (CHANGES[planned] ?? planned),
      failed: error !== undefined,
      endpoint: now === "" ? "none" : now === before ? "same" : "new",
      sent: this.sent.toSorted(),
      platform: admin.project(this.projectId).endpoints.map((one) => viewOf(one, [this.branch, this.other])),
    });
  }
}

/** What comes to the same: the engine sees an adoption as a create, and a fleet whose member is replaced as updated. */
const CHANGES: Record<string, string> = { adopt: "create", new: "create", replace: "update", drop: "delete" };

/** What of an endpoint has to come out alike. */
const seen = [
  ...(["type", "autoscaling_limit_min_cu", "autoscaling_limit_max_cu", "suspend_timeout_seconds", "settings"] as const),
  ...(["pooler_enabled", "pooler_mode", "disabled", "passwordless_access"] as const),
  ...(["current_state", "pending_state", "restart_due", "max_connections", "connections"] as const),
];

const viewOf = (one: EndpointState, branches: readonly string[]) => ({
  branch: branches.indexOf(String(one.branch_id)),
  ...Object.fromEntries(seen.map((name) => [name, one[name]])),
});

/** What is done, what the messages of the runs that fail have to say, and what the lines of the others. */
export interface Case {
  play(one: One): One;
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

/** What a fleet says in words of its own: that it takes something over, how long members were away, and by which setting nothing moves. */
const saidOtherwise =
  /takes over endpoint|adopts endpoint|destroy will release it|restarted: away for|no moves \(pgcompute:moves\)/;

/** Plays a case for an endpoint and for a fleet of one, on one platform. */
export async function playBoth(host: Process["host"], { play }: Case): Promise<Record<"endpoint" | "fleet", One>> {
  const bench = await useBench();
  const [endpoint, fleet] = [new One(bench, host, false), new One(bench, host, true)];
  await play(endpoint).done;
  bench.emulator.admin.clearFaults();
  await play(fleet).done;
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
