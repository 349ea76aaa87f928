/** Messages of the engine's protocol as plain values, and back; and the calls of a plugin with them. */
import type { Client } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";

/** A generated message. */
interface Message {
  serializeBinary(): Uint8Array;
  toObject(): Record<string, unknown>;
}

type Values = Record<string, unknown>;

/** The name of a call, such as `checkConfig`. */
export type CallName = keyof typeof ResourceProviderService & string;

interface Definition {
  path: string;
  responseStream: boolean;
  requestType: new () => Message;
  responseType: { deserializeBinary(bytes: Uint8Array): Message };
}

const definitionOf = (name: CallName) => ResourceProviderService[name] as never as Definition;

/** Calls a plugin, and gives the answers as plain values: one, or those of a stream. */
export async function answersOf<T = Values>(client: Client, name: CallName, fields: Values = {}): Promise<T[]> {
  const { requestType, responseType } = definitionOf(name);
  const answers = await send(client, name, messageOf(requestType, fields).serializeBinary());
  return answers.map((one) => plainOf(responseType.deserializeBinary(one)) as T);
}

/** The same with bytes as they are. */
export function send(client: Client, name: CallName, bytes: Uint8Array): Promise<Uint8Array[]> {
  const { path, responseStream } = definitionOf(name);
  const asIs = (value: unknown) => Buffer.from(value as Uint8Array);
  return new Promise((resolve, reject) => {
    if (!responseStream) {
      client.makeUnaryRequest(path, asIs, asIs, bytes, (error, answer) =>
        error ? reject(error) : resolve([answer ?? new Uint8Array()]),
      );
      return;
    }
    const answers: Uint8Array[] = [];
    const stream = client.makeServerStreamRequest(path, asIs, asIs, bytes);
    stream.on("data", (one) => answers.push(one)).on("error", reject);
    stream.on("end", () => resolve(answers));
  });
}

/** The engine's mark of an unknown value. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** A value as the engine marks a secret. */
export function secret(value: unknown): Record<string, unknown> {
  return { [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270", value };
}

/** A value as the engine writes an output: without a value it is unknown. */
export function output(parts: { value?: unknown; secret?: boolean }): Record<string, unknown> {
  return { [SIGNATURE]: "d0e6a833031e9bbcd3f4e8bde6ca49a4", ...parts };
}

/** A message with fields given as plain values: records become structs, lists keep their elements. */
export function messageOf(type: new () => Message, fields: Record<string, unknown>): Message {
  const message = new type();
  const setters = message as unknown as Record<string, (value: unknown) => void>;
  for (const [name, value] of Object.entries(fields)) {
    const setter = `set${name[0]?.toUpperCase()}${name.slice(1)}${Array.isArray(value) ? "List" : ""}`;
    if (!setters[setter]) throw new Error(`the message has no ${setter}`);
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    setters[setter](isRecord ? Struct.fromJavaScript(value as never) : value);
  }
  return message;
}

/** A message as plain values, by the names of its getters without `get`; structs as the engine would see their JSON. */
export function plainOf(message: Message): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const getter of Object.getOwnPropertyNames(Object.getPrototypeOf(message))) {
    const [, first, rest] = /^get([A-Z])(\w*?)(?:List)?$/.exec(getter) ?? [];
    if (first === undefined || /_as(U8|B64)$/.test(getter)) continue;
    const value = (message as unknown as Record<string, () => unknown>)[getter]?.();
    found[`${first.toLowerCase()}${rest}`] = plainValue(value);
  }
  return found;
}

function plainValue(value: unknown): unknown {
  if (value instanceof Struct) return value.toJavaScript();
  if (Array.isArray(value)) return value.map(plainValue);
  // A map of messages, by its keys.
  if (isMap(value)) return Object.fromEntries([...value.entries()].map(([key, one]) => [key, plainValue(one)]));
  if (typeof value === "object" && value !== null && "toObject" in value) return plainOf(value as Message);
  return value;
}

function isMap(value: unknown): value is { entries(): Iterable<[string, unknown]> } {
  return typeof value === "object" && value !== null && "getEntryList" in value && "entries" in value;
}
