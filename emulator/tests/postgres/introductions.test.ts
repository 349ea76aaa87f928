/** Clients that do not say who they are: they are few, have 10 s on the emulator's clock, and keep nobody out. */
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { type Client, connect, newClient, until, useBench, values } from "./support/open-postgres";
import { dial, secure, startup, written } from "./support/raw-client";

const bench = useBench({ clock: "manual", operationMs: 0 });

/** Resolves with the bytes that a connection was sent, once it is closed. */
function lastWords(socket: Socket): Promise<string> {
  let words = "";
  socket.on("data", (piece) => {
    words += piece.toString("latin1");
  });
  return new Promise((resolve) => {
    if (socket.closed) resolve(words);
    else socket.once("close", () => resolve(words));
  });
}

/** Sends a start-up packet, and waits until the server asks for the password. */
async function begin(endpointId: string): Promise<{ socket: Socket; words: Promise<string> }> {
  const socket = await dial(bench.emulator);
  const words = lastWords(socket);
  await written(socket, startup(endpointId));
  await until(() => socket.bytesRead > 0 || socket.closed);
  return { socket, words };
}

it("who says nothing, or not all of it, is closed after 10 s, and who is in stays", async () => {
  const { emulator } = bench;
  const client = await connect(emulator, emulator.endpointId);
  const silent = await dial(emulator);
  const half = await dial(emulator);
  await written(half, startup(emulator.endpointId).subarray(0, 20));
  const secured = await secure(await dial(emulator));
  const asked = await begin(emulator.endpointId);
  const ends = [silent, half].map(lastWords);
  emulator.admin.advance(9_999);
  expect(await values(client, "SELECT 1")).toEqual([1]);
  expect([silent, half, secured, asked.socket].map(({ closed }) => closed)).toEqual([false, false, false, false]);
  emulator.admin.advance(1);
  expect(await Promise.all(ends)).toEqual(["", ""]);
  await until(() => secured.closed);
  expect(await asked.words).toMatch(/C57014\0Mcanceling authentication due to timeout/);
  expect(await values(client, "SELECT 1")).toEqual([1]);
  await until(() => emulator.admin.endpoint(emulator.endpointId).connections === 1);
});

it("the oldest of too many that say nothing makes room for one who does", async () => {
  const { emulator } = bench;
  const first = await dial(emulator);
  const closed = lastWords(first);
  const others: Socket[] = [];
  for (let count = 0; count < 510; count++) others.push(await dial(emulator));
  expect(await values(await connect(emulator, emulator.endpointId), "SELECT 1")).toEqual([1]);
  await closed;
  expect(others.at(-1)?.closed).toBe(false);
});

it.each([
  ["without TLS", (id: string): Promise<Client> => connect(bench.emulator, id)],
  [
    "with TLS",
    async (id: string): Promise<Client> => {
      const client = newClient(bench.emulator.admin.connectionStrings(id).pg);
      await client.connect();
      client.isOpen = true;
      return client;
    },
  ],
])("the oldest that has not proved who it is makes room at a full endpoint: one %s gets in", async (_, enter) => {
  const { id } = bench.endpoint();
  const known = await connect(bench.emulator, id);
  const strangers: Awaited<ReturnType<typeof begin>>[] = [];
  for (let count = 0; count < 111; count++) strangers.push(await begin(id));
  expect(bench.emulator.admin.endpoint(id).connections).toBe(112);
  for (const { words } of strangers.slice(0, 3)) {
    expect(await values(await enter(id), "SELECT 1")).toEqual([1]);
    expect(await words).toMatch(/C53300\0Manother client came/);
  }
  expect(strangers.slice(3).every(({ socket }) => !socket.closed)).toBe(true);
  expect(await values(known, "SELECT 1")).toEqual([1]);
  for (const { socket } of strangers) socket.destroy();
});

it("an endpoint that is full of clients who are known refuses one more, and none of them goes", async () => {
  const { id } = bench.endpoint();
  const all = await Promise.all(Array.from({ length: 112 }, () => connect(bench.emulator, id)));
  await expect(connect(bench.emulator, id)).rejects.toMatchObject({ code: "53300", message: /too many clients/ });
  expect(all.every(({ isOpen }) => isOpen)).toBe(true);
});
