/** Whatever an endpoint goes through, a fleet's only member goes through in the same way, and what is said of it is said as loud. */
import { describe, expect, it } from "vitest";
import type { Emulator, EndpointState } from "../../../emulator";
import type { AccountSettings } from "../../../provider/platform/account";
import type { PartialError } from "../../../provider/platform/errors";
import type { Process } from "../../programs/support/stack";
import { type Bench, useBench } from "../../support/bench";
import { Stack, type StackRun, type Values } from "./support";

/** What one run came to. A replacement within a fleet is an update of it. */
interface Outcome {
  /** What was planned; nothing where it was refused. */
  change: string;
  failed: boolean;
  /** Whether an endpoint is behind the resource afterwards, and whether it is the one from before. */
  endpoint: "none" | "new" | "same";
  /** What the platform has. */
  platform: unknown;
}

/** The one resource of a stack, `main` or the member of that name, on the first of two branches without endpoints. */
class One {
  readonly outcomes: Outcome[] = [];
  readonly messages: string[] = [];
  readonly lines: string[] = [];
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
    this.#stack = new Stack(bench, host === "dynamic");
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
  destroy = () => this.#run("delete", this.#stack.up({}, this.#options()));
  refresh = () => this.#run("refresh", this.#stack.refresh());
  import = (id: string) =>
    this.#run("import", this.#stack.import(this.#name, `${this.projectId}/${this.isFleet ? "main=" : ""}${id}`));

  /** Loses it from the state. */
  forget(): void {
    this.#stack.engine.state.delete(this.#name);
  }

  /** An endpoint that is there without it, on the first branch. */
  seed = (more: Values = {}) =>
    this.emulator.admin.seedEndpoint(this.projectId, { branch_id: this.branches[0] ?? "", ...more }).id;

  /** Restores a snapshot of the first branch in its place; gives the id of the branch that has it now. */
  async restoreInPlace(): Promise<string> {
    const headers = { authorization: `Bearer ${this.emulator.apiKey}`, "content-type": "application/json" };
    const call = async (path: string, body: object = {}) => {
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      const answer = await fetch(`${this.emulator.url}/projects/${this.projectId}/${path}`, init);
      this.emulator.admin.advance(10_000);
      return JSON.parse(await answer.text());
    };
    const { snapshot } = await call(`branches/${this.branches[0]}/snapshot`);
    return (await call(`snapshots/${snapshot.id}/restore`, { finalize_restore: true })).branch.id;
  }

  #options() {
    return { settings: this.settings };
  }

  async #runAll(all: Values[], work: Stack["up"]): Promise<void> {
    for (const changes of all.length > 0 ? all : [{}]) {
      const inputs = { projectId: this.projectId, branchId: this.branches[0], type: "read_write", ...changes };
      const args = this.isFleet ? { endpoints: { main: inputs } } : inputs;
      await this.#run("", work({ [this.#name]: { args } }, this.#options()));
    }
  }

  async #run(what: string, work: Promise<StackRun>): Promise<void> {
    const before = this.endpointId;
    const { failed, changes, rows } = await work;
    const [error] = failed as PartialError[];
    if (error) this.messages.push(this.isFleet && error.reasons ? error.reasons.slice(1).join("; ") : error.message);
    // What is said to stay is kept in clauses: an endpoint joins them, and a fleet says of whom they are.
    for (const row of rows) {
      const [, level = "", message = ""] = row.match(/^(\w+) [^:]*: (?:main: )?(.*)$/s) ?? [];
      for (const clause of message.split("; ")) {
        const told = clause.replace(/(\S+\/ep|\bbr)-[a-z0-9-]+|[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
        this.lines.push(`${level === "warn" ? "warning" : level}: ${told}`);
      }
    }
    const own = changes[this.#name];
    const planned = what || String((typeof own === "object" ? (own as Values).main : own) ?? "");
    const now = this.endpointId;
    this.outcomes.push({
      change: error ? "" : (CHANGES[planned] ?? planned),
      failed: error !== undefined,
      endpoint: now === undefined ? "none" : now === before ? "same" : "new",
      platform: this.emulator.admin.project(this.projectId).endpoints.map((one) => viewOf(one, this.branches)),
    });
  }
}

/** What comes to the same: the engine sees an adoption as a create, and a fleet whose member is replaced as updated. */
const CHANGES: Record<string, string> = { adopt: "create", new: "create", replace: "update", drop: "delete" };

/** What of an endpoint has to come out alike. */
function viewOf(one: EndpointState, branches: readonly string[]) {
  const { type, autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max, suspend_timeout_seconds, settings } = one;
  const { pooler_enabled, pooler_mode, disabled, passwordless_access } = one;
  const branch = branches.indexOf(String(one.branch_id));
  return {
    branch,
    type,
    min,
    max,
    suspend_timeout_seconds,
    settings,
    pooler_enabled,
    pooler_mode,
    disabled,
    passwordless_access,
  };
}

/** What a fleet says in words of its own: that it takes something over, how long members were away, and by which setting nothing moves. */
const saidOtherwise =
  /takes over endpoint|adopts endpoint|destroy will release it|restarted: away for|no moves \(pgcompute:moves\)/;

/** What is done, what the messages of the runs that fail have to say, and what the lines of the others. */
interface Case {
  play(one: One): Promise<void>;
  messages?: readonly RegExp[];
  lines?: readonly RegExp[];
}

/** Each property with two values: set, left alone, changed, taken out. */
const properties: Record<string, [Values, Values]> = {
  "a fixed size": [{ sizeCu: 1 }, { sizeCu: 2 }],
  "a range of sizes": [
    { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 },
    { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4 },
  ],
  "the delay": [{ suspendTimeoutSeconds: 600 }, { suspendTimeoutSeconds: 900 }],
  pooling: [{ poolerEnabled: true }, { poolerEnabled: false }],
  "the pooler's mode": [{ poolerMode: "session" }, { poolerMode: "transaction" }],
  settings: [{ pgSettings: { work_mem: "8MB" } }, { pgSettings: { work_mem: 16, log_statement: "all" } }],
  libraries: [{ preloadLibraries: ["pg_stat_statements"] }, { preloadLibraries: ["pg_prewarm", "pg_stat_statements"] }],
  "a switch off": [{ disabled: true }, { disabled: false }],
  "access without passwords": [{ passwordlessAccess: true }, { passwordlessAccess: false }],
  "a trigger": [{ restartTrigger: "1" }, { restartTrigger: "2" }],
};

/** What is refused, at once and later. */
const refusals: Record<string, [Values, RegExp]> = {
  "a size that is none": [{ sizeCu: 3.3 }, /sizeCu: .*3\.3/],
  "two forms of a size": [{ sizeCu: 1, autoscalingLimitMinCu: 1 }, /sizeCu|autoscalingLimitMinCu/],
  "a delay that is too long": [{ suspendTimeoutSeconds: 604_801 }, /suspendTimeoutSeconds: /],
  "a branch's name": [{ branchId: "main" }, /branchId: "main" looks like a branch's name/],
  "a branch that is not there": [{ branchId: "br-none" }, /branchId: branch br-none does not exist in /],
  "a project that is not there": [{ projectId: "none" }, /projectId: project none does not exist.*404, request /],
  "a library that is not there": [
    { preloadLibraries: ["pg_prewarm", "pg_stat_statement"] },
    /preloadLibraries: project .* has no library "pg_stat_statement" to load: did you mean "pg_stat_statements"\?/,
  ],
  "a property that is none": [{ size: 1 }, /size: unknown property/],
  "a value of another type": [{ sizeCu: "big" }, /sizeCu: has to be a number/],
  "a type that is none": [{ type: "primary" }, /type: "primary" is not one of/],
  "a replica that adopts": [{ type: "read_only", adoptExisting: true }, /adoptExisting: takes over/],
};

const adoptExisting = true;
const restarts = [
  /^warning: restarts the endpoint: open connections are dropped$/m,
  /^warning: size 0\.25 CU -> 1 CU$/m,
  /^warning: max_connections \d+ -> \d+ /m,
];
const occupied = /branch .* already has a read-write endpoint/;

/** Makes the calls or operations of the fault's kind fail while something is done. */
async function struck(one: One, fault: Parameters<Emulator["admin"]["addFault"]>[0], work: () => Promise<void>) {
  const added = one.emulator.admin.addFault(fault);
  await work();
  one.emulator.admin.removeFault(added);
}

const fails = { on: "operation", effect: { kind: "fail" } } as const;
const refuses = (verb: string) => ({ route: `endpoints.${verb}`, effect: { kind: "status", status: 400 } }) as const;

const cases: Record<string, Case> = {
  "created, left alone, refreshed, deleted": {
    play: async (one) => {
      await one.preview();
      await one.up();
      await one.preview();
      await one.refresh();
      await one.up();
      await one.destroy();
    },
  },
  "a type that changes": {
    play: async ({ up, preview }) => {
      await up();
      await preview({ type: "read_only" });
      await up({ type: "read_only" }, { type: "read_only" }, {});
    },
  },
  "a project that changes": {
    play: async ({ up, emulator: { admin } }) => {
      const projectId = admin.seedProject().project.id;
      const there = { projectId, branchId: admin.seedBranch(projectId).id };
      await up({}, there, there);
    },
  },
  "a move to an empty branch, and back": {
    play: async ({ up, preview, other: branchId }) => {
      await up();
      await preview({ branchId });
      await up({ branchId }, { branchId }, {});
    },
  },
  "a move to a branch with a replica": {
    play: async ({ up, seed, other: branchId }) => {
      seed({ branch_id: branchId, type: "read_only" });
      await up({}, { branchId }, { branchId });
    },
  },
  "a move to a branch that is taken": {
    messages: [occupied],
    play: async ({ up, preview, seed, other: branchId }) => {
      seed({ branch_id: branchId });
      await up();
      await preview({ branchId });
    },
  },
  "a branch that is taken": {
    messages: [/branch .* already has a read-write endpoint[\s\S]*adoptExisting: true/],
    play: async ({ preview, seed }) => {
      seed({ name: "by-hand" });
      await preview();
    },
  },
  "moves that the platform does not have": {
    play: async (one) => {
      one.settings = { moves: "replace" };
      await one.up({}, { branchId: one.other });
    },
  },
  "adopted, changed, released": {
    lines: [/^info: no restart$/m, /^info: autosuspend after 300 s \(default\) -> after 600 s$/m],
    play: async ({ up, seed, destroy }) => {
      seed();
      const later = { adoptExisting, suspendTimeoutSeconds: 600 };
      await up(later, later, { suspendTimeoutSeconds: 900 });
      await destroy();
    },
  },
  "adopted as it is": {
    lines: [/^info: taken over unchanged$/m],
    play: async ({ up, preview, seed }) => {
      seed();
      await preview({ adoptExisting, restartTrigger: "1" });
      await up({ adoptExisting, restartTrigger: "1" });
    },
  },
  "adopted with what the program does not set": {
    lines: [
      /^info: taken over unchanged$/m,
      /^info: keeps what the program does not set: 2 CU, suspendTimeoutSeconds 3600, pgSettings \{"log_statement":"all"\}$/m,
    ],
    play: async ({ preview, seed }) => {
      const size = { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 };
      seed({ ...size, suspend_timeout_seconds: 3600, settings: { pg_settings: { log_statement: "all" } } });
      await preview({ adoptExisting, poolerEnabled: false });
    },
  },
  "adopted with another size": {
    lines: restarts,
    play: async ({ up, preview, seed }) => {
      seed();
      await preview({ adoptExisting, sizeCu: 1 });
      await up({ adoptExisting, sizeCu: 1 });
    },
  },
  "adopted and switched off": {
    lines: [/^warning: disables the endpoint: it is suspended, and no connection can wake it$/m],
    play: async ({ up, seed }) => {
      seed();
      await up({ adoptExisting, disabled: true });
    },
  },
  "left by an interrupted run, and taken up with another size": {
    lines: restarts,
    play: async (one) => {
      one.settings = { adoptInterrupted: true };
      await one.up({ sizeCu: 0.25 });
      one.forget();
      await one.preview({ sizeCu: 1 });
      await one.up({ sizeCu: 1 });
    },
  },
  "imported, then said as it is, then changed": {
    play: async (one) => {
      await one.import(one.seed());
      await one.up({ restartTrigger: "1" }, { restartTrigger: "1", suspendTimeoutSeconds: 600 });
      await one.destroy();
    },
  },
  "changed by somebody else": {
    play: async (one) => {
      const said = { suspendTimeoutSeconds: 600, sizeCu: 1 };
      await one.up(said);
      one.emulator.admin.changeEndpoint(one.endpointId ?? "", { suspend_timeout_seconds: 60 });
      await one.refresh();
      await one.preview(said);
      await one.up(said, said);
    },
  },
  "deleted by somebody else, found by a refresh": {
    play: async (one) => {
      await one.up();
      one.emulator.admin.dropEndpoint(one.endpointId ?? "");
      await one.refresh();
      await one.destroy();
    },
  },
  "deleted by somebody else, met by a delete": {
    play: async (one) => {
      await one.up();
      one.emulator.admin.dropEndpoint(one.endpointId ?? "");
      await one.destroy();
    },
  },
  "created with an operation that fails": {
    messages: [/start_compute.* ended as "failed"/],
    play: async (one) => {
      await struck(one, fails, () => one.up());
      await one.refresh();
      await one.up({}, {});
    },
  },
  "changed with an operation that fails": {
    messages: [/ended as "failed"/],
    play: async (one) => {
      await one.up();
      await struck(one, fails, () => one.up({ sizeCu: 1 }));
      await one.up({ sizeCu: 1 }, { sizeCu: 1 });
    },
  },
  "refused by the platform": {
    messages: [/400/, /400/],
    play: async (one) => {
      await struck(one, refuses("create"), () => one.up());
      await one.up();
      await struck(one, refuses("update"), () => one.up({ sizeCu: 1 }));
      await one.up({ sizeCu: 1 });
    },
  },
  "a key that is refused": {
    messages: [/answered 401.*\[request /],
    play: async (one) => {
      await struck(one, { effect: { kind: "status", status: 401 } }, () => one.preview());
      await one.up();
    },
  },
  "a project that the key may not see into": {
    messages: [/^: .*answered 403.*\[request /],
    play: (one) =>
      struck(one, { route: "endpoints.list", effect: { kind: "status", status: 403 } }, () => one.preview()),
  },
  "refused: a restore in place that would be undone, seen by a refresh; moved back where that is said": {
    messages: [
      /stands on br-\S+ \(now named "\S+"\), which replaced \S+ when .* run: PGCOMPUTE_UNDO_RESTORE=br-\S+ pulumi up$/,
      /To keep the restored data write branchId: "br-/,
    ],
    play: async (one) => {
      await one.up();
      const branchId = await one.restoreInPlace();
      await one.refresh();
      await one.preview();
      await one.up({ sizeCu: 2 }, { branchId });
      one.settings = { undoRestore: branchId };
      await one.up();
    },
  },
  "a restore in place that no plan undoes, and a replacement that would": {
    messages: [/stands on .*, which replaced .*PGCOMPUTE_UNDO_RESTORE/],
    lines: [/warning: endpoint ID stands on ID \(now named .*, which replaced/],
    play: async (one) => {
      await one.up();
      await one.restoreInPlace();
      await one.preview();
      await one.up({ type: "read_only" });
    },
  },
  "refused: a branch that is gone since another took its place": {
    messages: [/branchId: branch \S+ was replaced by br-\S+ \(now named .*write branchId: "br-/],
    play: async (one) => {
      await one.up();
      await one.restoreInPlace();
      one.emulator.admin.dropBranch(one.projectId, one.branches[0] ?? "");
      await one.preview();
    },
  },
  "moved by somebody else to a branch that took nobody's place": {
    play: async (one) => {
      await one.up();
      one.emulator.admin.changeEndpoint(one.endpointId ?? "", { branch_id: one.other });
      await one.refresh();
      await one.up();
    },
  },
  "refused: what the free plan does not have": {
    messages: [/type: the free plan has no read-only endpoints/],
    play: async (one) => {
      one.settings = { plan: "free" };
      await one.preview({ type: "read_only" });
    },
  },
};
for (const verb of ["create", "update", "delete"]) {
  cases[`an answer of a ${verb} that is lost`] = {
    play: async ({ up, destroy, emulator: { admin } }) => {
      admin.addFault({ route: `endpoints.${verb}`, count: 1, effect: { kind: "reset", when: "after" } });
      await up({}, { suspendTimeoutSeconds: 600 });
      await destroy();
    },
  };
}
for (const [name, [first, second]] of Object.entries(properties)) {
  cases[`${name}: set, left alone, changed, taken out`] = {
    play: async ({ up, refresh, destroy }) => {
      await up(first, first, second, second, {}, {});
      await refresh();
      await up();
      await destroy();
    },
  };
}
for (const [name, [changes, message]] of Object.entries(refusals)) {
  cases[`refused: ${name}, at once and later`] = {
    messages: [message, message],
    play: async ({ up, preview }) => {
      await preview(changes);
      await up();
      await preview(changes);
    },
  };
}

/** What ends in another way by design: a fleet's delete has no partial answer, so that its next update looks whether its members are there. */
const deletedOutside: Case = {
  play: async (one) => {
    await one.up();
    one.emulator.admin.dropEndpoint(one.endpointId ?? "");
    await one.up({ sizeCu: 1 });
    await one.destroy();
  },
};

/** Plays a case for an endpoint and for a fleet of one, on one platform. */
async function playBoth(host: Process["host"], { play }: Case): Promise<Record<"endpoint" | "fleet", One>> {
  const bench = await useBench();
  const [endpoint, fleet] = [new One(bench, host, false), new One(bench, host, true)];
  await play(endpoint);
  bench.emulator.admin.clearFaults();
  await play(fleet);
  return { endpoint, fleet };
}

// The dynamic host gives no old inputs, so that what a program takes out is known in another way.
describe.each(["plugin", "dynamic"] as const)("an endpoint and a fleet of one, on the %s host", (host) => {
  const own = Object.entries(cases).filter(([name]) => host === "plugin" || name.endsWith("taken out"));
  it.each(own)("%s", async (_, one) => {
    const { endpoint, fleet } = await playBoth(host, one);
    expect(fleet.outcomes).toEqual(endpoint.outcomes);
    for (const { messages, lines } of [endpoint, fleet]) {
      expect(messages).toEqual((one.messages ?? []).map((message) => expect.stringMatching(message)));
      for (const line of one.lines ?? []) expect(lines.join("\n")).toMatch(line);
    }
    expect(fleet.lines).toEqual(expect.arrayContaining(endpoint.lines.filter((line) => !saidOtherwise.test(line))));
  });

  it("deleted by somebody else, met by an update: the endpoint's fails, the fleet's makes a new one", async () => {
    const { endpoint, fleet } = await playBoth(host, deletedOutside);
    expect(endpoint.messages).toEqual([expect.stringMatching(/no longer exists/)]);
    expect(fleet.messages).toEqual([]);
    expect(fleet.outcomes).toMatchObject([
      { change: "create", failed: false, endpoint: "new" },
      { change: "create", failed: false, endpoint: "new" },
      { change: "delete", failed: false },
    ]);
  });
});
