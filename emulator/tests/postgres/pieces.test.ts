/** What a client sends at the Postgres door, whole, cut anywhere, or at random, stops nobody else. */
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { expect, it } from "vitest";
import { fc, runsOr, seed } from "../../../tests/support/random";
import { cancelMessage, responseMessage } from "../../postgres/messages";
import { SCRAM, SCRAM_PLUS } from "../../postgres/scram";
import { type Client, connect, useBench, values } from "./support/open-postgres";
import {
  answerOf,
  cutting,
  dial,
  GSS_REQUEST,
  logIn,
  request,
  type Send,
  SSL_REQUEST,
  secure,
  startup,
  V3,
  written,
} from "./support/raw-client";

const bench = useBench({ operationMs: 20 });

/** Somebody else, who works meanwhile. */
async function worker(): Promise<{ client: Client; works(): Promise<void> }> {
  const client = await connect(bench.emulator, bench.emulator.endpointId);
  return { client, works: async () => expect(await values(client, "SELECT 1")).toEqual([1]) };
}

/** The same work for many: clients of npm pg have one query at a time. */
function oneAfterTheOther(works: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(works);
    return last;
  };
}

/** Does something with each of them, ten at a time. */
async function byTens<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += 10) await Promise.all(all.slice(at, at + 10).map(act));
}

function offsetsOf({ length }: Buffer): number[] {
  return Array.from({ length: length + 1 }, (_, offset) => offset);
}

it.each([
  ["two zeros", Buffer.alloc(2)],
  ["one byte", Buffer.from([0])],
  ["a length alone", Buffer.from([0, 0, 0, 80])],
  ["half a start-up packet", startup("ep-none").subarray(0, 20)],
  ["a byte of TLS", Buffer.from([0x16])],
])("%s and then silence stops neither clients nor calls", async (_, bytes) => {
  const { works } = await worker();
  const socket = await dial(bench.emulator);
  await written(socket, bytes);
  await works();
  await bench.call("GET", "/endpoints");
});

it.each([
  ["SSL", SSL_REQUEST, "S"],
  ["GSS", GSS_REQUEST, "N"],
  ["cancel", cancelMessage("00".repeat(8)), ""],
  ["start-up", startup("ep-none"), "E"],
  ["an unknown version", request(5 << 16), ""],
  ["an unknown request", request(80_877_199), ""],
])("%s is read as if it were whole, wherever it is cut", async (_, bytes, answer) => {
  const { works } = await worker();
  for (const offset of offsetsOf(bytes)) {
    const socket = await dial(bench.emulator);
    await written(socket, bytes.subarray(0, offset));
    await works();
    await written(socket, bytes.subarray(offset));
    expect(await answerOf(socket), `cut at ${offset}`).toBe(answer);
    socket.destroy();
  }
});

it("the hello of TLS is read as if it were whole, wherever it is cut", async () => {
  const { works } = await worker();
  let length = 0;
  for (let offset = 0; offset === 0 || offset <= length; offset++) {
    const cut = cutting("TLS", offset, works);
    const secured = await secure(await dial(bench.emulator), async (stream, bytes, name) => {
      if (name === "TLS") length = bytes.length;
      await cut(stream, bytes, name);
    });
    expect(secured.authorizationError, `cut at ${offset}`).toBeDefined();
    secured.destroy();
  }
  expect(length).toBeGreaterThan(100);
});

it.each([
  ["without TLS", SCRAM],
  ["with TLS", SCRAM_PLUS],
] as const)("a login %s succeeds wherever one of its messages is cut", async (_, mechanism) => {
  const { emulator } = bench;
  const { endpointId } = emulator;
  const turn = oneAfterTheOther((await worker()).works);
  const lengths = new Map<string, number>();
  const noted: Send = async (stream, bytes, name) => {
    lengths.set(name, bytes.length);
    await written(stream, bytes);
  };
  expect(await logIn({ emulator, endpointId, mechanism, send: noted })).toBe("Z");
  const cuts = ["startup", "SASL", "SCRAM"].flatMap((name) => {
    const length = lengths.get(name) ?? 0;
    expect(length).toBeGreaterThan(50);
    return Array.from({ length: length + 1 }, (_, offset) => ({ name, offset }));
  });
  await byTens(cuts, async ({ name, offset }) => {
    const send = cutting(name, offset, turn);
    expect(await logIn({ emulator, endpointId, mechanism, send }), `${name} cut at ${offset}`).toBe("Z");
  });
});

it("a password in no form that was asked for is refused wherever it is cut", async () => {
  const { emulator } = bench;
  const { works } = await worker();
  const answers = new Set<string>();
  for (const mechanism of [SCRAM, SCRAM_PLUS] as const) {
    for (const offset of offsetsOf(responseMessage("guess\0"))) {
      const cut = cutting("SASL", offset, works);
      const send = (stream: Duplex, bytes: Buffer, of: string) =>
        cut(stream, of === "SASL" ? responseMessage("guess\0") : bytes, of);
      answers.add(await logIn({ emulator, endpointId: emulator.endpointId, mechanism, send }));
    }
  }
  expect([...answers]).toEqual(["E"]);
});

const bytesOf = (maxLength: number) => fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes));
const known = () => [SSL_REQUEST, GSS_REQUEST, cancelMessage("01".repeat(8)), startup("ep-none"), request(V3)];
const real = () => startup(bench.emulator.endpointId);

/** A message that was right, but for its length, its code or a byte somewhere. */
function changed(): fc.Arbitrary<Buffer> {
  const message = fc.nat(known().length).map((index) => known()[index] ?? real());
  const change = fc.tuple(fc.oneof(fc.nat(7), fc.nat(120)), fc.oneof(fc.nat(255), fc.constantFrom(0, 255, 0x16)));
  return fc.tuple(message, change).map(([bytes, [at, value]]) => {
    const other = Buffer.from(bytes);
    other[at % other.length] = value;
    return other;
  });
}

const oneIn = (count: number) => fc.nat(count - 1).map((drawn) => drawn === 0);

/** A message of a session, of any length that it says. */
const ofSession = fc
  .tuple(fc.constantFrom("p", "Q", "X", "\0"), bytesOf(60), fc.constantFrom(4, 0, -1, 20_000))
  .map(([type, body, more]) => {
    const head = Buffer.alloc(5, type);
    head.writeInt32BE(body.length + more, 1);
    return Buffer.concat([head, body]);
  });

/** What a client sends, in pieces, and how it leaves. */
const visits = () =>
  fc.record({
    // The door itself reads what a client authenticates itself with only where that came by TLS.
    encrypted: oneIn(20),
    begins: oneIn(10),
    messages: fc.array(
      fc.oneof(bytesOf(40), changed(), fc.constantFrom(...known()), bytesOf(12_000), {
        weight: 2,
        arbitrary: ofSession,
      }),
      { minLength: 1, maxLength: 4 },
    ),
    cuts: fc.array(fc.nat(200), { maxLength: 3 }),
    leaves: fc.constantFrom("ends", "resets", "stays"),
  });

type Visit = ReturnType<typeof visits> extends fc.Arbitrary<infer T> ? T : never;

async function visit({ encrypted, begins, messages, cuts, leaves }: Visit, turn: () => Promise<unknown>) {
  const socket = await dial(bench.emulator);
  const stream: Duplex = encrypted ? await secure(socket) : socket;
  stream.resume();
  if (begins) {
    await written(stream, real());
    await turn();
  }
  let rest = Buffer.concat(messages);
  for (const cut of [...cuts, rest.length]) {
    if (socket.destroyed) return;
    await written(stream, rest.subarray(0, cut));
    await turn();
    rest = rest.subarray(cut);
  }
  if (leaves === "stays") return;
  if (leaves === "ends") stream.end();
  else socket.resetAndDestroy();
  if (!socket.closed) await once(socket, "close");
}

it(`2,000 clients that send anything, in any pieces, stop nobody (PGCOMPUTE_SEED=${seed})`, async () => {
  const { client, works } = await worker();
  const turn = oneAfterTheOther(works);
  const all = fc.sample(visits(), { numRuns: runsOr(2_000), seed });
  await byTens(all, (one) => visit(one, turn));
  await bench.call("GET", "/endpoints");
  await client.end();
  const again = await worker();
  await again.works();
}, 600_000);
