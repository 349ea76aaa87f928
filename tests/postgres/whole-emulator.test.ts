import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator";
import { benchOf, connect, until, values } from "./support/open-postgres";

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await createEmulator({ postgres: true, operationMs: 20, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

describe("a limit of servers", () => {
  it("fails the next start with the reason, until one has ended", async () => {
    const emulator = await start({ maxRunning: 1 });
    const bench = benchOf(() => emulator);
    const [one, two] = [bench.endpoint(), bench.endpoint()];
    await connect(emulator, one.id);
    const [operation] = await bench.ended(await bench.call("POST", `/endpoints/${two.id}/start`));
    expect(operation).toMatchObject({ status: "failed", error: /--max-running 1/ });
    await expect(connect(emulator, two.id)).rejects.toMatchObject({ code: "57P03", message: /--max-running 1/ });
    await bench.ended(await bench.call("POST", `/endpoints/${one.id}/suspend`));
    await connect(emulator, two.id);
  });
});

describe("a reset", () => {
  it("takes every row with it", async () => {
    const emulator = await start();
    const client = await connect(emulator, emulator.endpointId);
    await client.query("CREATE TABLE notes ()");
    emulator.reset();
    expect(await client.dropped).toBe("57P01");
    const next = await connect(emulator, emulator.endpointId);
    expect(await values(next, "SELECT to_regclass('notes')")).toEqual([null]);
  });

  it("sends away who waits for an endpoint of before, which nothing starts any more", async () => {
    const emulator = await start({ operationMsByAction: { start_compute: 60_000 } });
    const waiting = expect(connect(emulator, emulator.endpointId)).rejects.toMatchObject({
      code: "08006",
      message: `endpoint ${emulator.endpointId} is gone`,
    });
    await until(() => emulator.admin.sessions(emulator.endpointId).length === 1);
    emulator.reset();
    await waiting;
  });
});
