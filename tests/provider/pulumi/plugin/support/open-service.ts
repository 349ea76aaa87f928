import { Client, credentials, Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { afterAll, beforeAll, expect } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../../../../emulator";
import { createServer } from "../../../../../provider/pulumi/plugin/server";
import { Session } from "../../../../../provider/pulumi/session";
import { type Message, messageOf, plainOf } from "../../../../support/messages";

const MAX_MESSAGE_BYTES = 400 * 1024 * 1024;

/** The name of a call, such as `checkConfig`. */
export type CallName = keyof typeof ResourceProviderService & string;

/** A plugin's service on a port of its own, an emulator behind it, and an engine that notes what it is told. */
export interface OpenService {
  readonly emulator: Emulator;
  /** Where the service listens, as `host:port`. */
  readonly address: string;
  /** Where the engine listens that notes what it is told, as `host:port`. */
  readonly engineAddress: string;
  /** What the plugin told the engine, as it came. */
  readonly lines: { urn: string; severity: number; message: string; ephemeral: boolean }[];
  /** Resolves when all that the plugin has told the engine is there. */
  heard(): Promise<void>;
  /** Sends a request, and gives the answer, as plain values. */
  call<T = Record<string, unknown>>(name: CallName, fields?: Record<string, unknown>): Promise<T>;
  /** Sends bytes as they are. */
  callRaw(name: CallName, bytes: Uint8Array): Promise<Uint8Array>;
  /** The error of a call that has to fail. */
  failureOf(name: CallName, fields?: Record<string, unknown>): Promise<ServiceError>;
  /** What every program says of an endpoint, on a branch of its own. */
  place(): { projectId: string; branchId: string; type: string };
  /** Creates what the plugin's Check makes of a program. */
  created(urn: string, news: Record<string, unknown>): Promise<Created>;
  /** Configures the plugin for the emulator, with changes; undefined leaves a key out. */
  configure(changes?: Record<string, unknown>): Promise<void>;
}

/** A resource as Create answers it, and its checked inputs. */
export type Created = { id: string } & Record<"properties" | "inputs", Record<string, unknown>>;

/** Opens a service for the tests of a file; `env` is the environment that the plugin sees. */
export function useService(options: EmulatorOptions = {}, env: NodeJS.ProcessEnv = {}): OpenService {
  let opened: ClosableService | undefined;
  beforeAll(async () => {
    opened = await openService(options, env);
  });
  afterAll(() => opened?.close());
  const running = () => {
    if (!opened) throw new Error("the service runs only within tests");
    return opened;
  };
  return {
    get emulator() {
      return running().emulator;
    },
    get address() {
      return running().address;
    },
    get engineAddress() {
      return running().engineAddress;
    },
    get lines() {
      return running().lines;
    },
    heard: () => running().heard(),
    call: (name, fields) => running().call(name, fields),
    callRaw: (name, bytes) => running().callRaw(name, bytes),
    failureOf: (name, fields) => running().failureOf(name, fields),
    place: () => running().place(),
    created: (urn, news) => running().created(urn, news),
    configure: (changes) => running().configure(changes),
  };
}

/** A service that its test closes. */
export type ClosableService = OpenService & { close(): Promise<void> };

/** Opens a service; `env` is the environment that the plugin sees. */
export async function openService(
  options: EmulatorOptions = {},
  env: NodeJS.ProcessEnv = {},
): Promise<ClosableService> {
  const lines: OpenService["lines"] = [];
  const emulator = await createEmulator({ operationMs: 0, ...options });
  const engine = new Server();
  /** Who waits for a line. */
  const awaited = new Map<string, () => void>();
  engine.addService(EngineService, {
    log: ({ request }: { request: LogRequest }, callback: (error: null, answer: Empty) => void) => {
      const [urn, severity, message] = [request.getUrn(), request.getSeverity(), request.getMessage()];
      lines.push({ urn, severity, message, ephemeral: request.getEphemeral() });
      awaited.get(message)?.();
      callback(null, new Empty());
    },
  } as never);
  const engineAddress = `127.0.0.1:${await listen(engine)}`;
  const session = new Session("plugin", engineAddress, env);
  const plugin = createServer(session);
  const address = `127.0.0.1:${await listen(plugin)}`;
  const client = new Client(address, credentials.createInsecure(), {
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
  });

  const service: ClosableService = {
    emulator,
    address,
    engineAddress,
    lines,
    heard: () =>
      new Promise((resolve) => {
        const last = `the last of ${awaited.size}`;
        awaited.set(last, resolve);
        session.reporter("urn:of:none").status(last);
      }),
    call: async (name, fields = {}) => {
      const { requestType, responseType } = ResourceProviderService[name] as never as Definition;
      const answer = await service.callRaw(name, messageOf(requestType, fields).serializeBinary());
      return plainOf(responseType.deserializeBinary(answer)) as never;
    },
    callRaw: (name, bytes) => {
      const definition = ResourceProviderService[name] as never as Definition;
      return new Promise((resolve, reject) => {
        const asIs = (value: unknown) => Buffer.from(value as Uint8Array);
        if (definition.responseStream) {
          const answers: Uint8Array[] = [];
          const stream = client.makeServerStreamRequest(definition.path, asIs, asIs, bytes);
          stream.on("data", (one) => answers.push(one)).on("error", reject);
          stream.on("end", () => resolve(Buffer.concat(answers)));
          return;
        }
        client.makeUnaryRequest(definition.path, asIs, asIs, bytes, (error, answer) =>
          error ? reject(error) : resolve(answer ?? new Uint8Array()),
        );
      });
    },
    failureOf: async (name, fields) => {
      try {
        await service.call(name, fields);
      } catch (error) {
        return error as ServiceError;
      }
      throw new Error(`${name} succeeded, which the test did not expect`);
    },
    place: () => {
      const { projectId, admin } = emulator;
      return { projectId, branchId: admin.seedBranch(projectId).id, type: "read_write" };
    },
    created: async (urn, news) => {
      const { inputs, failures } = await service.call<Pick<Created, "inputs"> & { failures: unknown }>("check", {
        urn,
        news,
      });
      expect(failures).toEqual([]);
      const made = await service.call<Omit<Created, "inputs">>("create", { urn, properties: inputs });
      return { ...made, inputs };
    },
    configure: async (changes = {}) => {
      const { url, apiKey } = emulator;
      await service.call("configure", {
        args: Object.fromEntries(
          Object.entries({ baseUrl: url, apiKey, ...changes }).filter(([, value]) => value !== undefined),
        ),
      });
    },
    async close() {
      client.close();
      plugin.forceShutdown();
      await session.close();
      engine.forceShutdown();
      await emulator.close();
    },
  };
  return service;
}

interface Definition {
  path: string;
  responseStream: boolean;
  requestType: new () => Message;
  responseType: { deserializeBinary(bytes: Uint8Array): Message };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}
