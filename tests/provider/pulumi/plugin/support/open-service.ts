/** The plugin's service in the test's process, called like the engine does, with the lines for the engine's display. */
import { Client, credentials, Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { afterAll, beforeAll, expect } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../../../../emulator";
import { createServer } from "../../../../../provider/pulumi/plugin/server";
import { Session } from "../../../../../provider/pulumi/session";
import { answersOf, type CallName, plainOf, send } from "../../../../support/messages";

const MAX_MESSAGE_BYTES = 400 * 1024 * 1024;

type Values = Record<string, unknown>;

/** A resource as Create answers it, and its checked inputs. */
export type Created = { id: string } & Record<"properties" | "inputs", Values>;

/** What Check and CheckConfig answer. */
export interface Checked {
  failures: { property: string; reason: string }[];
  inputs: Values;
}

/** Opens a service for the tests of a file; `env` is the environment that the plugin sees. */
export function useService(options: EmulatorOptions = {}, env: NodeJS.ProcessEnv = {}): OpenService {
  let opened: OpenService | undefined;
  beforeAll(async () => {
    opened = new OpenService(await createEmulator({ operationMs: 0, ...options }));
    await opened.open(env);
  });
  afterAll(() => opened?.close());
  return new Proxy({} as OpenService, {
    get(_, name: keyof OpenService) {
      if (!opened) throw new Error("the service runs only within tests");
      return opened[name];
    },
  });
}

/** A plugin's service on a port of its own, an emulator behind it, and an engine that notes what it is told. */
class OpenService {
  /** Where the service listens, as `host:port`. */
  address = "";
  /** What the plugin told the engine, as it came. */
  readonly lines: { urn: string; severity: number; message: string; ephemeral: boolean }[] = [];
  /** Who waits for a line. */
  readonly #awaited = new Map<string, () => void>();
  #session: Session | undefined;
  #client: Client | undefined;
  readonly #servers: Server[] = [];

  constructor(readonly emulator: Emulator) {}

  async open(env: NodeJS.ProcessEnv): Promise<void> {
    const engine = new Server();
    engine.addService(EngineService, {
      log: ({ request }: { request: LogRequest }, callback: (error: null, answer: Empty) => void) => {
        const [urn, severity, message] = [request.getUrn(), request.getSeverity(), request.getMessage()];
        this.lines.push({ urn, severity, message, ephemeral: request.getEphemeral() });
        this.#awaited.get(message)?.();
        callback(null, new Empty());
      },
    } as never);
    this.#session = new Session("plugin", `127.0.0.1:${await listen(engine)}`, env);
    const plugin = createServer(this.#session);
    this.address = `127.0.0.1:${await listen(plugin)}`;
    this.#servers.push(plugin, engine);
    this.#client = new Client(this.address, credentials.createInsecure(), {
      "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    });
  }

  /** Resolves when all that the plugin has told the engine is there. */
  readonly heard = (): Promise<void> =>
    new Promise((resolve) => {
      const last = `the last of ${this.#awaited.size}`;
      this.#awaited.set(last, resolve);
      this.#session?.reporter("urn:of:none", []).status(last);
    });

  /** Sends a request, and gives the answer, as plain values; of a stream, the first. */
  readonly call = async <T = Values>(name: CallName, fields: Values = {}): Promise<T> =>
    (await this.answers<T>(name, fields))[0] as T;

  readonly answers = <T = Values>(name: CallName, fields: Values = {}): Promise<T[]> =>
    answersOf<T>(this.#open, name, fields);

  /** Sends bytes as they are. */
  readonly callRaw = async (name: CallName, bytes: Uint8Array): Promise<Uint8Array> =>
    (await send(this.#open, name, bytes))[0] as Uint8Array;

  get #open(): Client {
    return this.#client ?? expect.fail("the service is not open");
  }

  /** The error of a call that has to fail. */
  readonly failureOf = async (name: CallName, fields?: Values): Promise<ServiceError> => {
    try {
      await this.call(name, fields);
    } catch (error) {
      return error as ServiceError;
    }
    throw new Error(`${name} succeeded, which the test did not expect`);
  };

  /** What every program says of an endpoint, on a branch of its own. */
  readonly place = () => {
    const { projectId, admin } = this.emulator;
    return { projectId, branchId: admin.seedBranch(projectId).id, type: "read_write" };
  };

  /** Creates what the plugin's Check makes of a program. */
  readonly created = async (urn: string, news: Values): Promise<Created> => {
    const { inputs, failures } = await this.call<Checked>("check", { urn, news });
    expect(failures).toEqual([]);
    return { ...(await this.call<Omit<Created, "inputs">>("create", { urn, properties: inputs })), inputs };
  };

  /** The request that brings a resource to what a program says of it now. */
  readonly changeOf = async (urn: string, { id, properties, inputs }: Created, news: Values) => {
    const checked = await this.call<Checked>("check", { urn, olds: inputs, news });
    return { urn, id, olds: properties, oldInputs: inputs, news: checked.inputs };
  };

  /** Configures the plugin for the emulator, with changes; undefined leaves a key out. */
  readonly configure = async (changes: Values = {}): Promise<void> => {
    const { url, apiKey } = this.emulator;
    const all = Object.entries({ baseUrl: url, apiKey, ...changes });
    await this.call("configure", { args: Object.fromEntries(all.filter(([, value]) => value !== undefined)) });
  };

  async close(): Promise<void> {
    this.#client?.close();
    const [plugin, engine] = this.#servers;
    plugin?.forceShutdown();
    await this.#session?.close();
    engine?.forceShutdown();
    await this.emulator.close();
  }
}

/** What an error tells the engine beside its message; undefined where it carries nothing. */
export function partialOf(error: ServiceError): Record<string, unknown> | undefined {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  if (bytes === undefined) return undefined;
  const [detail] = Status.deserializeBinary(Buffer.from(bytes)).getDetailsList();
  expect(detail?.getTypeUrl()).toBe("type.googleapis.com/pulumirpc.ErrorResourceInitFailed");
  return plainOf(ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array()));
}

/** Serves on a port of its own, which it gives. */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}
