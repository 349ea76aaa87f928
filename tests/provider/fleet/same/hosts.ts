/** Both hosts behind one face: the calls of the engine about one resource, with plain values. */
import type { ServiceError } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { createFleetProvider } from "../../../../provider/pulumi/dynamic/fleet-provider";
import { URN_INPUT } from "../../../../provider/pulumi/dynamic/hidden";
import { createDynamicProvider } from "../../../../provider/pulumi/dynamic/provider";
import { openSession } from "../../../../provider/pulumi/dynamic/session";
import { plainOf, secret } from "../../../support/messages";
import type { OpenService } from "../../pulumi/plugin/support/open-service";

/** Inputs, outputs or a state. */
export type Values = Record<string, unknown>;

/** Which resource the calls are about. */
export type Kind = "Endpoint" | "EndpointFleet";

/** A failed call, with what the engine keeps of it. */
export class CallError extends Error {
  constructor(
    message: string,
    readonly kept?: { id: string; state: Values },
  ) {
    super(message);
  }
}

/** What the dynamic host throws to its launcher. */
interface Thrown {
  id?: string;
  properties?: Values;
  reasons?: string[];
  message: string;
}

/** What a diff answers, as far as the engine acts on it. */
export interface Diffed {
  changes: boolean;
  replaces: boolean;
  deletesFirst: boolean;
}

/** The calls about one resource, in one run. */
export interface Calls {
  check(olds: Values, news: Values): Promise<{ inputs: Values; failures: { property: string; reason: string }[] }>;
  diff(id: string, state: Values, news: Values, oldInputs: Values): Promise<Diffed>;
  create(inputs: Values): Promise<{ id: string; state: Values }>;
  read(id: string, state: Values, inputs: Values): Promise<{ id: string; state: Values; inputs: Values } | undefined>;
  update(id: string, state: Values, news: Values, oldInputs: Values): Promise<Values>;
  remove(id: string, state: Values): Promise<void>;
}

/** A host of the provider: each run has a process of its own. */
export interface Host {
  name: "plugin" | "dynamic";
  begin(kind: Kind, config?: Record<string, string>): Promise<Calls>;
  /** A value that the program keeps secret, in the form in which the host is given it. */
  secret(value: unknown): unknown;
}

/** The plugin, by its gRPC service. */
export function pluginHost(service: OpenService): Host {
  return {
    name: "plugin",
    secret,
    async begin(kind, config = {}) {
      const urn = `urn:pulumi:dev::shop::pgcompute:index:${kind}::main`;
      await service.configure(config);
      const call = async <T>(name: Parameters<OpenService["call"]>[0], fields: Values): Promise<T> => {
        try {
          return await service.call<T>(name, { urn, ...fields });
        } catch (error) {
          const kept = keptIn(error as ServiceError);
          throw new CallError(kept?.reasons.join("; ") ?? (error as ServiceError).details, kept);
        }
      };
      return {
        check: async (olds, news) => {
          const { inputs, failures } = await call<{ inputs: Values; failures: never[] }>("check", { olds, news });
          return { inputs, failures };
        },
        diff: async (id, olds, news, oldInputs) => {
          const found = await call<{ changes: number; replaces: string[]; deletebeforereplace: boolean }>("diff", {
            id,
            olds,
            news,
            oldInputs,
          });
          return {
            changes: found.changes === 2,
            replaces: found.replaces.length > 0,
            deletesFirst: found.deletebeforereplace,
          };
        },
        create: async (properties) => {
          const made = await call<{ id: string; properties: Values }>("create", { properties });
          return { id: made.id, state: made.properties };
        },
        read: async (id, properties, inputs) => {
          const found = await call<{ id: string; properties: Values; inputs: Values }>("read", {
            id,
            properties,
            inputs,
          });
          return found.id === "" ? undefined : { id: found.id, state: found.properties, inputs: found.inputs };
        },
        update: async (id, olds, news, oldInputs) =>
          (await call<{ properties: Values }>("update", { id, olds, news, oldInputs })).properties,
        remove: async (id, properties) => {
          await call("delete", { id, properties });
        },
      };
    },
  };
}

/** The dynamic host, as its launcher calls it; the engine hands it every value in the clear. */
export function dynamicHost(service: OpenService): Host {
  return {
    name: "dynamic",
    secret: (value) => value,
    async begin(kind, config = {}) {
      const session = openSession(service.engineAddress, {});
      const { url, apiKey } = service.emulator;
      const own = Object.entries(config).map(([key, value]) => [`pgcompute:${key}`, value]);
      const rawConfig = { "pgcompute:baseUrl": url, "pgcompute:apiKey": apiKey, ...Object.fromEntries(own) };
      const open = kind === "Endpoint" ? createDynamicProvider : createFleetProvider;
      const provider = open(session) as ReturnType<typeof createFleetProvider>;
      provider.configure({ config: { get: () => undefined, rawConfig } });
      const urn = `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/pgcompute:${kind}::main`;
      const call = async <T>(work: () => Promise<T>): Promise<T> => {
        try {
          return plain(await work());
        } catch (error) {
          const { id, properties = {}, reasons, message } = error as Thrown;
          throw new CallError(
            reasons?.join("; ") ?? message,
            id === undefined ? undefined : { id, state: plain(properties) },
          );
        }
      };
      return {
        check: (olds, news) => call(() => provider.check(olds, { [URN_INPUT]: urn, ...news })),
        diff: async (id, state, news) => {
          const found = await call(() => provider.diff(id, state, news));
          return {
            changes: found.changes,
            replaces: found.replaces.length > 0,
            deletesFirst: found.deleteBeforeReplace,
          };
        },
        create: async (inputs) => {
          const { id, outs } = await call(() => provider.create(inputs));
          return { id, state: outs };
        },
        read: async (id, state) => {
          const found = await call(() => provider.read(id, state));
          return found.id === "" ? undefined : { id: found.id, state: found.props, inputs: found.inputs };
        },
        update: async (id, state, news) => (await call(() => provider.update(id, state, news))).outs,
        remove: (id, state) => call(() => provider.delete(id, state)),
      };
    },
  };
}

function keptIn(error: ServiceError): { id: string; state: Values; reasons: string[] } | undefined {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  if (bytes === undefined) return undefined;
  const [detail] = Status.deserializeBinary(Buffer.from(bytes)).getDetailsList();
  const { id, properties, reasons } = plainOf(
    ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array()),
  );
  return { id: String(id), state: properties as Values, reasons: reasons as string[] };
}

/** What a launcher sends on: JSON. */
function plain<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}
