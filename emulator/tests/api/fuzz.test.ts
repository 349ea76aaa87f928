import { Agent, request } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { fc, seed } from "../../../tests/support/random";
import { type Junk, junkCall, junkLines } from "./support/junk";
import { openEmulator } from "./support/open-emulator";

describe(`fuzzing (PGCOMPUTE_SEED=${seed})`, () => {
  it("draws no 5xx of the emulator's own with any method, path, headers and body", async () => {
    const emulator = await openEmulator();
    const { projectId: id, branchId, endpointId } = emulator;
    const agent = new Agent({ keepAlive: true });
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(junkCall, async (junk) => {
        const status = await statusOf(emulator.port, emulator.apiKey, agent, junk);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect(status).toBeGreaterThanOrEqual(200);
        expect(status).toBeLessThan(500);
        emulator.admin.advance(100);
        // Some junk deletes the project, and without it every call ends at the door.
        if (!emulator.admin.state().projects.some(({ project }) => project.id === id)) {
          emulator.admin.seedProject({ id, branchId, endpointId });
        }
      }),
      { numRuns: 2500 },
    );
    agent.destroy();
    expect(emulator.admin.log().filter((entry) => entry.crash !== undefined)).toEqual([]);
    // A fuzzer that only ever meets the door proves nothing.
    for (const status of [200, 201, 400, 401, 404, 405]) expect(statuses.get(status)).toBeGreaterThan(5);
    emulator.reset();
    expect((await emulator.call("GET", "{p}/endpoints")).body.endpoints).toHaveLength(1);
  });

  it("survives bytes that are no HTTP", async () => {
    const emulator = await openEmulator();
    await fc.assert(
      fc.asyncProperty(junkLines, async (lines) => {
        const answer = await sendBytes(emulator.port, `${lines.join("\r\n")}\r\n\r\n`);
        const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
        if (status !== undefined) expect(Number(status)).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
    expect((await emulator.call("GET", "{p}")).status).toBe(200);
  });
});

function statusOf(port: number, apiKey: string, agent: Agent, junk: Junk): Promise<number> {
  const { method, path, body } = junk;
  const authorization = { right: `Bearer ${apiKey}`, wrong: "Bearer wrong", none: undefined }[junk.key];
  const headers = {
    ...junk.headers,
    ...(authorization && { authorization }),
    "content-length": String(Buffer.byteLength(body)),
  };
  return new Promise((resolve, reject) => {
    const call = request({ host: "127.0.0.1", port, agent, method, path, headers }, (answer) => {
      answer.resume();
      answer.once("close", () => resolve(answer.statusCode ?? 0));
    });
    call.once("error", reject);
    call.end(body);
  });
}

/** What comes back for some bytes, once the other side has closed. */
function sendBytes(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(text));
    socket.on("data", (data) => {
      answer += data.toString("latin1");
    });
    // A reset is an answer, too.
    socket.once("error", () => undefined);
    socket.once("close", () => resolve(answer));
  });
}
