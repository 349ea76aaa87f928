import { type ClientHttp2Session, connect } from "node:http2";
import { gzipSync } from "node:zlib";
import { status } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { afterEach, expect, it } from "vitest";
import { useService } from "./support/open-service";

const MEGABYTE = 1024 * 1024;
const service = useService();
const sessions: ClientHttp2Session[] = [];
afterEach(() => {
  for (const session of sessions.splice(0)) session.destroy();
});

/** Sends the beginning of a request, and never its end: the gRPC status has to come without it. */
function statusOf(frame: Buffer, headers: Record<string, string> = {}): Promise<number> {
  const session = connect(`http://${service.address}`);
  sessions.push(session);
  const { path } = ResourceProviderService.getPluginInfo;
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  });
  return new Promise((resolve, reject) => {
    const read = (found: Record<string, unknown>) => {
      if (found["grpc-status"] !== undefined) resolve(Number(found["grpc-status"]));
    };
    stream.on("response", read).on("trailers", read).on("error", reject);
    stream.resume();
    stream.write(frame);
  });
}

function frameOf(length: number, content: Buffer, compressed = false): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(compressed ? 1 : 0, 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, content]);
}

it("a request that says it is larger than any of the engine's is refused before it is read", async () => {
  expect(await statusOf(frameOf(300 * MEGABYTE, Buffer.alloc(16)))).toBe(status.RESOURCE_EXHAUSTED);
  expect(await statusOf(frameOf(97 * MEGABYTE, Buffer.alloc(16)))).toBe(status.RESOURCE_EXHAUSTED);
});

it("a request that is larger once it is unpacked is refused, and unpacked no further", async () => {
  const packed = gzipSync(Buffer.alloc(97 * MEGABYTE));
  const sent = statusOf(frameOf(packed.length, packed, true), { "grpc-encoding": "gzip" });
  expect(await sent).toBe(status.RESOURCE_EXHAUSTED);
});

it("requests with three copies of settings of 8 MB are taken", async () => {
  const urn = "urn:pulumi:dev::test::pgcompute:index:Nothing::main";
  const pgSettings = { "my.text": "x".repeat(8 * MEGABYTE) };
  const fields = { urn, id: "p/e", olds: { pgSettings }, oldInputs: { pgSettings }, news: { pgSettings } };
  // The service has read it when it finds that it has no such resource.
  expect(await service.failureOf("update", fields)).toMatchObject({ code: status.UNIMPLEMENTED });
});
