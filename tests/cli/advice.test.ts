/** What messages of the commands name, done as they say it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { messageOf } from "../../cli/advice";
import { idOf } from "../../provider/endpoint/identity";
import { AnswerError, HttpError, OperationError, PgComputeError } from "../../provider/platform/errors";
import type { EndpointRecord } from "../../provider/platform/records";
import { maybeCreatedAdvice, messageFor } from "../../provider/pulumi/messages/errors";
import { orphanMessage } from "../../provider/pulumi/messages/remedies";
import { root } from "../../tools/root.mjs";
import { type Bench, useBench } from "../support/bench";
import { urnOf } from "../support/call-context";
import { commandIn, commandsIn } from "../support/commands";
import { temporaryFolder } from "../support/temporary-folder";
import { runAlone, runCommand } from "./support/open-shell";

let bench: Bench;
beforeEach(async () => {
  bench = await useBench();
});

const http = (kind: HttpError["kind"]) => new HttpError(kind, "no", { path: "/projects/p", status: 400 });
const seen = (kind: "gone" | "maybe_created") => {
  const place = { projectId: "p", branchId: "br", name: "n", candidates: [] };
  return new PgComputeError("not_found", "no", { remedy: { kind, ...place } as never });
};

it.each([
  ["what is there", http("conflict"), "endpointId"],
  ["what is under way", http("not_ready"), "branchId"],
  ["what is locked", http("locked"), "branchId"],
  ["the projects of a key", http("not_found"), "projectId"],
  ["what a failed call has changed", http("server"), "endpointId"],
  ["what a lost call has changed", new AnswerError("answer_lost", "no"), "endpointId"],
  ["what became of an operation", new OperationError("operation_vanished", "no", { id: "op-1" }), "endpointId"],
  ["what is left", seen("gone"), "endpointId"],
  ["what was created", seen("maybe_created"), "endpointId"],
] as const)("a command that a message names lists what it says: %s", async (_, error, what) => {
  const { admin, projectId, endpointId, branchId } = bench.emulator;
  admin.startOperation({ projectId, action: "apply_config", branchId });
  const [, command = ""] = messageOf(error).match(/pgcompute ([^`]+)/) ?? [];
  const { code, out } = await runCommand(bench, command.split(" "));
  expect(code).toBe(0);
  expect(out).toContain({ projectId, endpointId, branchId }[what]);
});

it("the command that goes on waiting names project and address, and waits in a shell that knows neither", async () => {
  const { admin, projectId, endpointId, url } = bench.emulator;
  const env = { PGCOMPUTE_BASE_URL: "", PGCOMPUTE_PROJECT_ID: "" };
  admin.addFault({ on: "operation", action: "start_compute", effect: { kind: "slow", operationMs: 60_000 } });
  const start = ["endpoints", "start", `${projectId}/${endpointId}`, "--base-url", url, "--timeout", "3"];
  const command = commandIn((await runCommand(bench, start, { env })).err, "operations wait");

  const { code, out } = await runCommand(bench, command.split(" ").slice(1), { env });
  expect(code).toBe(0);
  expect(out).toContain("start_compute");
});

it("a call that only read has changed nothing, and its message asks for no look", () => {
  const path = "/projects/p/endpoints";
  for (const error of [
    new HttpError("server", "no", { path, status: 500, isRead: true }),
    new AnswerError("answer_lost", "no", { isRead: true }),
  ]) {
    expect(messageOf(error)).toBe("no. Run it again.");
  }
});

it("the commands of messages about endpoints that may be nobody's show them, and delete them", async () => {
  const { admin, projectId } = bench.emulator;
  const branchId = admin.seedBranch(projectId).id;
  const place = { kind: "maybe_created" as const, projectId, branchId, name: "n" };
  const run = (command: string, ...more: string[]) => {
    const [npx, flag, name, ...args] = command.split(" ");
    expect([npx, flag, name]).toEqual(["npx", "--no-install", "pgcompute"]);
    return runCommand(bench, [...args, ...more]);
  };
  const { api } = bench.account();
  const reader = { host: "plugin" as const, urn: urnOf("main") };
  const messages: ((record: EndpointRecord) => string)[] = [
    (record) => orphanMessage(record),
    (record) => maybeCreatedAdvice({ ...place, candidates: [idOf(record)] }, reader),
  ];
  for (const message of messages) {
    const { id } = admin.seedEndpoint(projectId, { branch_id: branchId, type: "read_only" });
    const endpoint = await bench.run(api.getEndpoint(projectId, id, {}));
    const text = message(endpoint);
    for (const look of commandsIn(text).filter((one) => one.includes("endpoints list"))) {
      expect((await run(look)).out).toContain(id);
    }
    expect(await run(commandIn(text, "endpoints delete"), "--yes")).toMatchObject({ code: 0 });
    expect(bench.on(branchId)).toEqual([]);
  }
  const operation = admin.startOperation({ projectId, action: "apply_config", branchId });
  const locked = new HttpError("locked", "a lock", { path: `/projects/${projectId}/endpoints`, status: 423 });
  expect((await run(commandIn(messageFor(locked), "operations"))).out).toContain(operation.branch_id);
});

it.each([
  ["no project", "endpoints list", "projects", /^no project: /],
  ["no project at an address of its own", "endpoints list --base-url=URL", "projects", /^no project: /],
  ["the name of a project", "endpoints list --project My-shop", "projects", /cannot be a project's id/],
  ["the id of no endpoint", "endpoints suspend ep-none", "endpoints list", /could not/],
  [
    "the id of no endpoint, at an address and in a project of its own",
    "endpoints suspend ep-none --base-url URL --project=PROJECT",
    "endpoints list",
    /could not/,
  ],
  [
    "the id of no endpoint after its project",
    "endpoints show PROJECT/ep-none --base-url URL",
    "endpoints list",
    /could not/,
  ],
])("a command with %s names the one that lists them", async (_, command, list, reason) => {
  const { url, projectId, endpointId } = bench.emulator;
  const env: Record<string, string> = {
    ...(list === "projects" && { PGCOMPUTE_PROJECT_ID: "" }),
    ...(command.includes("URL") && { PGCOMPUTE_BASE_URL: "", PGCOMPUTE_PROJECT_ID: "" }),
  };
  const args = command.replace("URL", url).replace("PROJECT", projectId).split(" ");
  const refused = await runCommand(bench, args, { env });
  expect(refused.err.replace(/^pgcompute: /, "")).toMatch(reason);
  const listing = commandIn(refused.err, list).split(" ").slice(1);
  const { out } = await runCommand(bench, listing, { env });
  const [, id = ""] = out.split("\n")[1]?.match(/^(\S+)/) ?? [];
  const given = listing.slice(list.split(" ").length);
  const [group = "", verb = ""] = args;
  const named = list === "projects" ? ["--project", id] : [id];
  const ran = await runCommand(bench, [group, verb, ...named, ...given], { env });
  expect(ran).toMatchObject({ code: 0, out: expect.stringContaining(endpointId) });
});

it.each(["PGCOMPUTE_PROJECT_ID", "PGCOMPUTE_FORGET", "PGCOMPUTE_PLATFORM", "PGCOMPUTE_BASE_URL"])(
  "a command refuses a key in %s without printing it",
  async (name) => {
    for (const key of ["napi_of_somebody_else_1", `secret-${"part-".repeat(20)}`]) {
      const refused = await runCommand(bench, ["endpoints", "list"], { env: { PGCOMPUTE_API_KEY: key, [name]: key } });
      expect(refused).toMatchObject({ code: 2, out: "" });
      expect(refused.err).not.toMatch(/napi_|secret-|part-/);
    }
  },
);

it("a command whose key is refused says where a valid one is set", async () => {
  const refused = await runCommand(bench, ["projects"], { env: { PGCOMPUTE_API_KEY: "napi_wrong" } });
  const [, name = ""] = refused.err.match(/environment variable (\w+)/) ?? [];
  const env = { PGCOMPUTE_API_KEY: "", [name]: bench.emulator.apiKey };
  expect(await runCommand(bench, ["projects"], { env })).toMatchObject({ code: 0 });
});

/** What the real engine printed for these commands; tests/cli records it. */
const printed: Readonly<Record<string, string>> = {
  "pulumi preview --json": "plugin-changes.json",
  "pulumi refresh --preview-only --json": "plugin-refresh.json",
};
const printedBy = (command: string) =>
  readFileSync(join(root, "tests/unit/cli/samples", printed[command] ?? `nothing for ${command}`), "utf8");

it.each([
  ["nothing", "", []],
  ["something else", "Previewing update (dev)\n", []],
  ["a refresh", printedBy("pulumi refresh --preview-only --json"), []],
  ["a plan where drift is asked for", printedBy("pulumi preview --json"), ["--drift"]],
])("a review that cannot read its input names the command whose output it reads: %s", async (_, input, args) => {
  const refused = await runAlone(["review", ...args], { input });
  expect(refused.code).toBe(1);
  const command = commandIn(refused.err, args.length > 0 ? "pulumi refresh" : "pulumi preview");
  expect((await runAlone(["review", ...args], { input: printedBy(command) })).err).toBe("");
  if (!refused.err.includes("--drift, or")) return;
  expect((await runAlone(["review", "--drift"], { input })).err).toBe("");
});

it.each([["--fail-on", "delete"], ["--seal"], ["--expect"]])(
  "a review of a plan that hides deletes from earlier runs names the flag of those that show them: %s",
  async (option, ...of) => {
    const file = join(temporaryFolder(), "seal.json");
    const input = readFileSync(join(root, "tests/unit/cli/samples/plugin-changes.json"), "utf8").replace(
      /"delete"/g,
      '"same"',
    );
    const review = (...args: string[]) => runAlone(["review", "--out", "/dev/null", ...args], { input });
    await review("--show-replacement-steps", "--seal", file);
    const args = [option, ...(of.length > 0 ? of : [file])];
    const refused = await review(...args);
    expect(refused.code).toBe(3);
    const [, flag = ""] = `${refused.out}${refused.err}`.match(/(--show-\S+)/) ?? [];
    expect(await review(flag, ...args)).toMatchObject({ code: 0 });
  },
);

describe("a review that can write no seal", () => {
  const input = readFileSync(join(root, "tests/unit/cli/samples/plugin-changes.json"), "utf8").replace(
    /"delete"/g,
    '"same"',
  );
  const review = (...args: string[]) => runAlone(["review", "--out", "/dev/null", ...args], { input });

  it("removes an old seal, whole or edited", async () => {
    for (const edit of [(text: string) => text, (text: string) => text.replace("endpoints", "others")]) {
      const file = join(temporaryFolder(), "seal.json");
      await review("--show-replacement-steps", "--seal", file);
      writeFileSync(file, edit(readFileSync(file, "utf8")));
      expect(await review("--seal", file)).toMatchObject({ code: 3, err: expect.stringMatching(/no seal is written/) });
      expect(existsSync(file)).toBe(false);
    }
  });

  it.each(["a program", "{}", '{"kind":"another"}', ""])("leaves another file as it is: %j", async (text) => {
    const file = join(temporaryFolder(), "index.ts");
    writeFileSync(file, text);
    expect(await review("--seal", file)).toMatchObject({
      code: 3,
      err: expect.stringMatching(/is no seal, so it stays/),
    });
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("leaves a folder, and what it has, and says nothing of a name that is free", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "kept"), "");
    expect(await review("--seal", folder)).toMatchObject({ code: 3, err: expect.stringMatching(/is no seal/) });
    expect(existsSync(join(folder, "kept"))).toBe(true);
    const { code, err } = await review("--seal", join(folder, "new.json"));
    expect([code, err.trim().split("\n").length]).toEqual([3, 1]);
  });
});

it.each([["none"], ["edited"]])("a review whose seal is %s names the command that writes one", async (kind) => {
  const file = join(temporaryFolder(), "seal.json");
  const args = ["review", "--show-replacement-steps"];
  const review = (...more: string[]) => runAlone([...args, ...more], { input: printedBy("pulumi preview --json") });
  await review("--seal", file);
  writeFileSync(file, kind === "none" ? "{}" : readFileSync(file, "utf8").replace("{", `{ "kind": "twice",`));
  const refused = await review("--expect", file);
  expect(refused.code).toBe(1);
  const [, command = "", option = ""] = commandIn(refused.err, "--seal").split(" ");
  expect(command).toBe("review");
  await review(option, file);
  expect(await review("--expect", file)).toMatchObject({ code: 0 });
});
