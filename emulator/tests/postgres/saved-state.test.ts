import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { EmulatorAdmin } from "../../admin/emulator-admin";
import { Listener } from "../../http/listener";
import { Runtime } from "../../http/runtime";
import { CHANGES, Keeper, readState, stateOf } from "../../postgres/saved-state";
import { API_PREFIX, buildServer } from "../../server";
import { newFolder } from "./support/open-postgres";

/** A platform that is kept in a folder, and its API; it has no Postgres servers. */
async function openKept() {
  const folder = newFolder();
  const runtime = new Runtime({ clock: "manual", operationMs: 1000, lock: "none", apiKey: "KEY" });
  const admin = new EmulatorAdmin(runtime, new Listener("127.0.0.1", 0), [{ id: "shop", branchId: "br-main" }]);
  admin.reset();
  const keeper = new Keeper(runtime.platform, folder);
  keeper.begin();
  runtime.platform.keep = () => keeper.save();
  const app = await buildServer(runtime, admin);
  onTestFinished(async () => {
    keeper.end();
    await app.close();
  });
  const call = async (method: "POST" | "PATCH" | "DELETE" | "GET", path: string, payload?: object) => {
    const headers = { authorization: "Bearer KEY" };
    const answer = await app.inject({
      method,
      url: `${API_PREFIX}/projects${path}`,
      headers,
      ...(payload && { payload }),
    });
    expect(answer.statusCode, `${method} ${path}: ${answer.body}`).toBeLessThan(300);
    return answer.json();
  };
  return { folder, admin, call, keeper, now: () => JSON.parse(JSON.stringify(stateOf(runtime.platform))) };
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
