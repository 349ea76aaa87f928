import { describe, expect, it } from "vitest";
import { wordsOf } from "../../postgres/command";
import { routeOf } from "../../postgres/greeting";
import { fatalMessage, MessageReader, readOpening } from "../../postgres/messages";
import { accessText, configText, standbyConfig } from "../../postgres/server-config";

const V3 = 196_608;

/** A server's message. */
function message(type: string, body: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
}

describe("messages of the protocol", () => {
  it("are found however they are cut into pieces", () => {
    const whole = Buffer.concat([
      message("R", "1234"),
      message("K", "key"),
      message("D", "x".repeat(300)),
      message("Z", "I"),
    ]);
    for (const size of [1, 2, 3, 7, 64, whole.length]) {
      const reader = new MessageReader("KZ");
      const seen: [string, string, number][] = [];
      for (let at = 0; at < whole.length; at += size) {
        reader.read(whole.subarray(at, at + size), (type, body, end) => seen.push([type, body.toString(), at + end]));
      }
      expect(seen, `by ${size}`).toEqual([
        ["K", "key", 17],
        ["Z", "I", whole.length],
      ]);
    }
  });

  it("are none that begin otherwise, and a refusal is written as Postgres writes it", () => {
    for (const body of [Buffer.alloc(0), Buffer.from([0, 2, 0, 0]), Buffer.from("GET / HTTP/1.1")]) {
      expect(readOpening(body)).toEqual({ kind: "unknown" });
    }
    expect(fatalMessage({ code: "53300", message: "full", hint: "wait" }).toString("latin1")).toBe(
      "E\0\0\0&SFATAL\0VFATAL\0C53300\0Mfull\0Hwait\0\0",
    );
  });
});

describe("the endpoint that a client wants", () => {
  const route = (options: string, serverName?: string, port?: string) =>
    routeOf({ kind: "startup", version: V3, parameters: new Map([["options", options]]) }, serverName, port);

  it.each([
    ["", "ep-a.eu-central-1.aws.compute.test", undefined, "ep-a", false],
    ["", "ep-a-pooler.eu-central-1.aws.compute.test", undefined, "ep-a", true],
    ["", "ep-a-pooler-b.x", undefined, "ep-a-pooler-b", false],
    ["endpoint=ep-b", "ep-a.x", undefined, "ep-b", false],
    ["endpoint=ep-b-pooler", undefined, undefined, "ep-b", true],
    ["endpoint=ep-b", "ep-a.x", "ep-c", "ep-c", false],
  ])("by options %j, server name %j and port of %j is %s", (options, serverName, port, endpointId, pooled) => {
    expect(route(options, serverName, port)).toMatchObject({ endpointId, pooled });
  });

  it("is not told to the server, which is told the other options", () => {
    const found = route("-c work_mem=8MB endpoint=ep-a -c geqo=off");
    expect(found).toMatchObject({ parameters: new Map([["options", "-c work_mem=8MB -c geqo=off"]]) });
    expect(route("endpoint=ep-a")).toMatchObject({ parameters: new Map() });
    expect(route("-c geqo=off")).toMatchObject({ code: "08004" });
  });
});

describe("a server's configuration", () => {
  const config = { maxConnections: 112, passwordless: true };

  it("holds values that try to end their quotes or their line", () => {
    const follows = { host: "/tmp/it's", port: 1, passfile: "/tmp/a\\b", insists: true };
    expect(configText({ ...config, settings: { search_path: "it's\\" }, follows }).split("\n")).toEqual([
      "search_path = 'it''s\\\\'",
      `primary_conninfo = '${[
        "host=''/tmp/it\\\\''s''",
        "port=1",
        "user=pgcompute_replication",
        "passfile=''/tmp/a\\\\\\\\b''",
        "require_auth=scram-sha-256",
      ].join(" ")}'`,
      "",
    ]);
    for (const [name, value] of [
      ["a\nb", "1"],
      ["search_path", "a\nport = 1"],
      ["archive_command", "id"],
    ] as const) {
      expect(() => configText({ ...config, settings: { [name]: value } })).toThrow(/^pg_settings\./);
    }
  });

  it("lets the standbys' role replicate and nothing else, also where others need no password", () => {
    expect(accessText({ ...config, settings: {} }).split("\n")).toEqual([
      "local replication pgcompute_replication scram-sha-256",
      "local all pgcompute_replication reject",
      "local all pgcompute_admin scram-sha-256",
      "local all all trust",
      "",
    ]);
  });

  it("of a standby has what any primary may have, and else what its endpoint says", () => {
    const own = { ...config, settings: { Max_Worker_Processes: "4", work_mem: "8MB" } };
    const standby = standbyConfig(own);
    expect(standby).toMatchObject({ maxConnections: 4000, settings: { max_worker_processes: "32", work_mem: "8MB" } });
    expect(configText(standby)).toContain("max_wal_senders = '32'");
    expect(configText(standby)).not.toContain("Max_Worker");
  });

  it("is refused in Postgres's words, without the emulator's own files", () => {
    const log =
      'LOG:  unrecognized configuration parameter "foo" in file "/tmp/x/check.conf" line 2\n' +
      'FATAL:  configuration file "/tmp/x/check.conf" contains errors\n';
    expect(wordsOf(log)).toBe('unrecognized configuration parameter "foo"');
    expect(wordsOf("2024-05-01 10:00:00 UTC [7] FATAL:  no memory\nHINT:  buy some")).toBe("no memory (buy some)");
    expect(wordsOf("")).toBe("");
  });
});
