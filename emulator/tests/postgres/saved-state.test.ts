import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { EmulatorAdmin } from "../../admin/emulator-admin";
import { Listener } from "../../http/listener";
import { Runtime } from "../../http/runtime";
import { Keeper } from "../../postgres/keeper";
import { CHANGES, readState as readSaved, stateOf } from "../../postgres/saved-state";
import { API_PREFIX, buildServer } from "../../server";
import { newFolder } from "./support/open-postgres";

/** A call of the system that fails, and how; empty for none. */
const fault = vi.hoisted(() => ({ call: "", code: "" }));

vi.mock(import("node:fs"), async (original) => {
  const all = await original();
  const failing = <T extends (...args: never[]) => unknown>(name: string, call: T) =>
    ((...args) => {
      if (fault.call !== name) return call(...args);
      const error = Object.assign(new Error(`${fault.code}: no room, ${name}`), { code: fault.code });
      const last: unknown = args.at(-1);
      if (typeof last !== "function") throw error;
      last(error);
      return undefined;
    }) as T;
  return {
    ...all,
    openSync: failing("open", all.openSync),
    writeFileSync: failing("write", all.writeFileSync),
    fsyncSync: failing("fsync", all.fsyncSync),
    fdatasync: failing("fdatasync", all.fdatasync) as typeof all.fdatasync,
    renameSync: failing("rename", all.renameSync),
    ftruncateSync: failing("ftruncate", all.ftruncateSync),
  };
});

/** What a folder holds, without the number of its writing. */
function readState(folder: string) {
  const { generation: _, ...state } = readSaved(folder) ?? {};
  return "random" in state ? state : undefined;
}

/** A platform that is kept in a folder, and its API; it has no Postgres servers. */
async function openKept() {
  const folder = newFolder();
  const runtime = new Runtime({ clock: "manual", operationMs: 1000, lock: "none", apiKey: "KEY" });
  const admin = new EmulatorAdmin(runtime, new Listener("127.0.0.1", 0), [{ id: "shop", branchId: "br-main" }]);
  admin.reset();
  const keeper = new Keeper(runtime.platform, folder);
  keeper.begin();
  runtime.platform.keeper = keeper;
  const app = await buildServer(runtime, admin);
  onTestFinished(async () => {
    Object.assign(fault, { call: "", code: "" });
    keeper.end();
    await app.close();
  });
  const send = (method: "POST" | "PATCH" | "DELETE" | "GET", path: string, payload?: object) =>
    app.inject({
      method,
      url: `${API_PREFIX}/projects${path}`,
      headers: { authorization: "Bearer KEY" },
      ...(payload && { payload }),
    });
  const call = async (...[method, path, payload]: Parameters<typeof send>) => {
    const answer = await send(method, path, payload);
    expect(answer.statusCode, `${method} ${path}: ${answer.body}`).toBeLessThan(300);
    return answer.json();
  };
  return {
    folder,
    admin,
    send,
    call,
    keeper,
    platform: runtime.platform,
    now: () => JSON.parse(JSON.stringify(stateOf(runtime.platform))),
  };
}

const LINES = (folder: string) => readFileSync(join(folder, CHANGES), "utf8");

it("what was answered is on disk at that moment, whatever it changed, and a line that was cut off is not missed", async () => {
  const { folder, admin, call, now } = await openKept();
  const expectKept = (what: string) => expect(readState(folder), what).toEqual(now());
  expectKept("the seed");
  const annotation_value = { commit: "abc" };
  const endpoints = [{ type: "read_write" }, { type: "read_only" }];
  const { branch, endpoints: made } = await call("POST", "/shop/branches", { annotation_value, endpoints });
  expectKept("a branch with endpoints");
  const other = await call("POST", "", { project: { name: "other" } });
  expectKept("another project");
  for (let step = 0; step < 8; step++) {
    admin.advance(300);
    await call("GET", "/shop/operations");
    expectKept("an operation on its way");
  }
  const [writer, replica] = made;
  await call("PATCH", `/shop/endpoints/${writer.id}`, { endpoint: { autoscaling_limit_max_cu: 2, name: "w" } });
  expectKept("another size");
  await call("PATCH", `/shop/branches/${branch.id}`, { branch: { name: "renamed" } });
  await call("PATCH", "/shop", { project: { name: "store" } });
  expectKept("other names");
  await call("DELETE", `/shop/endpoints/${replica.id}`);
  expectKept("an endpoint less");
  admin.advance(5000);
  await call("DELETE", `/shop/branches/${branch.id}`);
  expectKept("a branch less");
  await call("DELETE", `/${other.project.id}`);
  expectKept("a project less");
  admin.reset();
  await call("GET", "/shop");
  expectKept("a project anew");
  appendFileSync(join(folder, CHANGES), '{"random":1,"projects":{"shop":nul');
  expectKept("all but half a line");
});

it("an operation that vanished stays so on disk", async () => {
  const { folder, admin, call } = await openKept();
  admin.addFault({ on: "operation", effect: { kind: "vanish", afterMs: 100 } });
  await call("POST", "/shop/branches");
  admin.advance(100);
  await call("GET", "/shop/operations");
  const [saved] = readState(folder)?.projects ?? [];
  expect(saved?.operations.map(({ action, vanished }) => [action, vanished])).toEqual([
    ["create_timeline", false],
    ["create_branch", true],
  ]);
});

it("each answer adds what it changed, however much there is", async () => {
  const { folder, admin, call, keeper } = await openKept();
  admin.seedFleet("shop", { count: 1000 });
  await call("GET", "/shop");
  keeper.end();
  keeper.begin();
  expect(LINES(folder)).toBe("");
  await call("POST", "/shop/branches", { endpoints: [{ type: "read_write" }] });
  expect(LINES(folder).length).toBeLessThan(5000);
  await call("GET", "/shop/endpoints");
  expect(LINES(folder).split("\n")).toHaveLength(2);
});

it("a state of before there were lines is taken, and what is no state is not", async () => {
  const { folder, keeper, now } = await openKept();
  keeper.end();
  const saved = readFileSync(join(folder, "platform.json"), "utf8");
  const old = newFolder();
  writeFileSync(join(old, "platform.json"), saved);
  expect(readState(old)).toEqual(now());
  appendFileSync(join(old, CHANGES), "no line\n");
  expect(() => readState(old)).toThrow(/platform.changes is no state of an emulator/);
  expect(readState(newFolder())).toBeUndefined();
});

const codes = ["ENOSPC", "EDQUOT"] as const;

it.each(codes)(
  "%s refuses changes with the reason, answers reads, and all is written once there is room",
  async (code) => {
    const { folder, send, call, now } = await openKept();
    const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => told.mockRestore());
    Object.assign(fault, { call: "write", code });
    const refused = await send("POST", "/shop/branches");
    expect((await call("GET", "/shop/branches")).branches).toHaveLength(1);
    expect([refused.statusCode, refused.json().message]).toEqual([
      503,
      expect.stringContaining(`${code}: no room, write`),
    ]);
    // At each step of writing the whole.
    for (const step of ["open", "write", "fsync", "rename", "ftruncate"]) {
      fault.call = step;
      const { branches } = await call("GET", "/shop/branches");
      const again = await send("PATCH", "/shop", { project: { name: step } });
      expect([again.statusCode, again.json().message]).toEqual([503, expect.stringContaining(`no room, ${step}`)]);
      // What is refused now is not done either.
      expect((await call("GET", "/shop")).project.name).not.toBe(step);
      expect((await call("GET", "/shop/branches")).branches).toEqual(branches);
    }
    fault.call = "";
    await call("PATCH", "/shop", { project: { name: "store" } });
    expect(readState(folder)).toEqual(now());
    const lines = told.mock.calls.flat().map(String);
    expect(lines).toEqual([
      expect.stringMatching(/takes no changes, .*no room, write/),
      expect.stringMatching(/takes changes again/),
    ]);
  },
);

it.each(codes)("%s that is told only when a line is brought to the disk writes all anew", async (code) => {
  const { folder, send, call, now } = await openKept();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  Object.assign(fault, { call: "fdatasync", code });
  await call("POST", "/shop/branches");
  fault.call = "fsync";
  expect((await send("POST", "/shop/branches")).statusCode).toBe(503);
  fault.call = "";
  await call("POST", "/shop/branches");
  expect(readState(folder)).toEqual(now());
});

it("what happened by itself is on disk once there is room, without a call", async () => {
  const { folder, admin, call, now } = await openKept();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  Object.assign(fault, { call: "write", code: "ENOSPC" });
  admin.seedBranch("shop");
  expect((await call("GET", "/shop/branches")).branches).toHaveLength(2);
  expect(readState(folder)).not.toEqual(now());
  fault.call = "";
  await expect.poll(() => readState(folder)).toEqual(now());
});

it.each(["open", "write", "fsync", "rename", "ftruncate"])(
  "a folder whose state could not be written at the end, by %s, has every line of it",
  async (step) => {
    const { folder, call, keeper, now } = await openKept();
    await call("POST", "/shop/branches");
    const state = now();
    Object.assign(fault, { call: step, code: "ENOSPC" });
    keeper.end();
    expect(readState(folder)).toEqual(state);
    fault.call = "";
    const next = new Keeper((await openKept()).platform, folder);
    next.begin(readSaved(folder)?.generation);
    next.end();
  },
);

it("what is written with the whole is not undone by lines of before, where those could not be cut off", async () => {
  const { folder, admin, send, call, now } = await openKept();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  const { branch } = await call("POST", "/shop/branches");
  admin.advance(10_000);
  await call("GET", "/shop/branches");
  Object.assign(fault, { call: "write", code: "ENOSPC" });
  admin.dropBranch("shop", branch.id);
  await call("GET", "/shop/branches");
  fault.call = "ftruncate";
  expect((await send("PATCH", "/shop", { project: { name: "three" } })).statusCode).toBe(503);
  expect(readState(folder)).toEqual(now());
});
