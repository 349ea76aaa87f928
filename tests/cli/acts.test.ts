import { expect, it } from "vitest";
import type { Fault } from "../../emulator/faults/fault";
import { type Bench, useBench } from "../support/bench";
import type { ShellOptions } from "./support/open-shell";
import { expectTold, transcriptOf } from "./support/transcript";

const ENDPOINT = "ep-shop-1";

/** A command on an endpoint that runs, or on operations under way, and what is in its way. */
interface Act {
  line: string;
  options?: ShellOptions;
  fault?: Fault;
  /** Operations that are under way as it begins; their ids follow in its line. */
  begin?: string[];
  /** When it is interrupted, and when another operation begins, in milliseconds. */
  interruptMs?: number;
  meanwhileMs?: number;
}

const on = (action: string, effect: object) => ({ on: "operation", action, effect }) as Fault;
const limit = (route: string) =>
  ({
    route,
    count: 1,
    effect: { kind: "status", status: 429, retryAfter: { form: "seconds", seconds: 300 } },
  }) as Fault;
const suspend = `endpoints suspend ${ENDPOINT}`;
const restart = `endpoints restart ${ENDPOINT}`;
const slow = on("suspend_compute", { kind: "slow", operationMs: 20_000 });
const fails = on("apply_config", { kind: "fail", error: "out of disk" });
const hangs = on("suspend_compute", { kind: "hang" });
const asked = (answer: string) => ({ terminal: true, answers: [answer] });
const listed = { branch_id: "br-x", type: "read_write", current_state: "idle" };
const foreign = { ...listed, id: "ep-foreign", project_id: "foreign" };
const own = { ...listed, id: "ep-own", project_id: "quiet-harbor-12345678" };
const wait = "operations wait";

const acts: Record<string, Act> = {
  "suspends, and waits until that is done": { line: suspend },
  "restarts, and waits until both are done": { line: restart },
  "restarts, and is interrupted between the two halves": { line: restart, fault: slow, interruptMs: 3_000 },
  "restarts, and waits too short for both halves": { line: `${restart} --timeout 3`, fault: slow },
  "starts what runs": { line: `endpoints start ${ENDPOINT} --json` },
  "waits no longer than it was told to": { line: `${suspend} --timeout 30`, fault: hangs },
  "waits for the rate limit no longer than it was told to": {
    line: `${suspend} --timeout 30`,
    fault: limit("endpoints.suspend"),
  },
  "waits for the rate limit of its first look no longer than that": {
    line: `${suspend} --timeout 30`,
    fault: limit("endpoints.get"),
  },
  "waits for it as long as the platform asks": { line: suspend, fault: limit("endpoints.suspend") },
  "waits as long for its first look": { line: suspend, fault: limit("endpoints.get") },
  "deletes nothing where nobody can be asked": { line: `endpoints delete ${ENDPOINT}` },
  "deletes nothing for half a yes": { line: `endpoints delete ${ENDPOINT}`, options: asked("y") },
  "deletes where somebody means it": { line: `endpoints delete ${ENDPOINT}`, options: asked("yes") },
  "deletes after a long thought, which is none of the time that it may take": {
    line: `endpoints delete ${ENDPOINT} --timeout 30`,
    options: { ...asked("yes"), thinksMs: 60_000 },
  },
  "lists its own endpoints, and none of another project": {
    line: "endpoints list",
    fault: { route: "endpoints.list", effect: { kind: "json", body: { endpoints: [foreign, own] } } },
  },
  "waits for all operations": { line: wait, begin: ["apply_config", "start_compute"] },
  "waits for one that fails": { line: wait, begin: ["apply_config"], fault: fails },
  "waits for one that fails, for machines": { line: `${wait} --json`, begin: ["apply_config"], fault: fails },
  "gives one up when the time is over": {
    line: `${wait} --timeout 20`,
    begin: ["apply_config"],
    fault: on("apply_config", { kind: "hang" }),
  },
  "gives one up when the time is over, and another does not exist, which is worse": {
    line: `${wait} --timeout 20 00000000-0000-4000-8000-000000000000`,
    begin: ["apply_config"],
    fault: on("apply_config", { kind: "hang" }),
  },
  "is interrupted at once": { line: wait, begin: ["apply_config"], interruptMs: 3_000 },
  "follows what is new and what changes, until it is interrupted": {
    line: "operations --follow --json",
    meanwhileMs: 500,
    interruptMs: 20_500,
  },
};

async function told(
  { line, options, fault, begin = [], interruptMs, meanwhileMs }: Act,
  bench: Bench,
): Promise<string> {
  const { admin, projectId, branchId } = bench.emulator;
  admin.seedBranch(projectId, { id: "br-shop" });
  admin.seedEndpoint(projectId, { id: ENDPOINT, branch_id: "br-shop", current_state: "active" });
  if (fault) admin.addFault(fault);
  const start = (action: string) => admin.startOperation({ projectId, branchId, action }).id;
  const ids = begin.map(start);
  const stop = new AbortController();
  if (interruptMs !== undefined) void bench.clock.sleep(interruptMs).then(() => stop.abort());
  if (meanwhileMs !== undefined) void bench.clock.sleep(meanwhileMs).then(() => start("apply_config"));
  const own = await transcriptOf([[[line, ...ids].join(" "), { ...options, signal: stop.signal }]], bench);
  // What is left half done names the command that does the other half.
  const [next] = /(?<=left suspended\. To start it, run:\n! +pgcompute ).+$/m.exec(own) ?? [];
  const rest = next?.replace("http://127.0.0.1:4010/api/v2", bench.emulator.url);
  const text = rest === undefined ? own : own + (await transcriptOf([rest], bench));
  const operations = admin.project(projectId).operations.map(({ action, status }) => `${action} ${status}`);
  const left = bench
    .on("br-shop")
    .map(({ current_state, pending_state }) => `${current_state} ${pending_state ?? ""}`.trim());
  const seconds = Math.round(bench.clock.elapsedMs() / 1_000);
  return `${text}took ${seconds} s; ${operations.join(", ")}; ${left.join() || "deleted"}\n`;
}

it("what is done to endpoints and waited for: as it was, and no longer than was said", async () => {
  const lines: string[] = [];
  for (const [what, act] of Object.entries(acts)) {
    const bench = await useBench({ operationMs: act.begin || act.meanwhileMs ? 9_000 : 1_000 });
    lines.push(`# ${what}\n${await told(act, bench)}`);
  }
  await expectTold("acts", lines.join("\n"));
});

it("an operation that fails is followed, although another began after it and did not", async () => {
  const bench = await useBench({ operationMs: 9_000 });
  const { admin, projectId, branchId } = bench.emulator;
  admin.addFault(fails);
  admin.startOperation({ projectId, branchId, action: "apply_config" });
  await bench.run(bench.clock.sleep(2_000));
  admin.startOperation({ projectId, branchId, action: "start_compute" });
  const stop = new AbortController();
  void bench.clock.sleep(20_500).then(() => stop.abort());
  const line = "operations --follow --status failed --json";
  expect(await transcriptOf([[line, { signal: stop.signal }]], bench)).toContain('"status":"failed"');
});

it("a key that is part of ids hides nothing of them", async () => {
  const bench = await useBench({ apiKey: "e" });
  expect(await transcriptOf([`endpoints start ${bench.emulator.endpointId}`], bench)).toContain(
    `started ${bench.emulator.projectId}/${bench.emulator.endpointId}: Active\n`,
  );
});
