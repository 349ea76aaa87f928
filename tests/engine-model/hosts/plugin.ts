/** The plugin in the test's process: requests are messages of the engine's protocol, and answers are read from them. */
import type { ServiceError } from "@grpc/grpc-js";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { createService } from "../../../provider/pulumi/plugin/service";
import { Session } from "../../../provider/pulumi/session";
import { type Changed, PartialFailure } from "../deployment/resource";
import { PROVIDER } from "../names";
import type { Values } from "../words";
import { environment, type Host, type Opened, outsideOf } from "./host";

const KINDS = ["add", "add-replace", "delete", "delete-replace", "update", "update-replace"];

type Unary<Request, Response> = (
  call: { request: Request },
  callback: (error: Partial<ServiceError> | null, answer?: Response) => void,
) => void;

/** Opens the plugin, and configures it as the engine does. */
export async function openPlugin(opened: Opened): Promise<Host & { signal: AbortSignal }> {
  const session = new Session("plugin", undefined, environment, outsideOf(opened));
  const service = createService(session) as unknown as Record<string, Unary<unknown, unknown>>;
  const { timeoutMs = 0 } = opened;
  const timeout = timeoutMs / 1_000;

  const send = <Response>(name: string, request: unknown): Promise<Response> =>
    new Promise((resolve, reject) => {
      service[name]?.({ request }, (error, answer) => (error ? reject(failureOf(error)) : resolve(answer as Response)));
    });
  await send("configure", new proto.ConfigureRequest().setUrn(PROVIDER).setArgs(written({})));

  return {
    cancel: () => session.cancel(),
    signal: session.signal,

    async check({ urn, olds = {}, news }) {
      const request = new proto.CheckRequest().setUrn(urn).setOlds(written(olds)).setNews(written(news));
      const answer = await send<proto.CheckResponse>("check", request);
      const failures = answer
        .getFailuresList()
        .map((one) => ({ property: one.getProperty(), reason: one.getReason() }));
      return { inputs: read(answer.getInputs()), failures };
    },

    async diff(asked) {
      const answer = await send<proto.DiffResponse>("diff", changing(new proto.DiffRequest(), asked));
      const detailed: Record<string, string> = {};
      answer.getDetaileddiffMap().forEach((one, path) => {
        detailed[path] = KINDS[one.getKind()] ?? "";
      });
      const told = { diffs: answer.getDiffsList(), replaces: answer.getReplacesList(), detailed };
      const isReplacing = Object.values(detailed).some((kind) => kind.endsWith("-replace"));
      return {
        changes: answer.getChanges() === proto.DiffResponse.DiffChanges.DIFF_SOME,
        replaces: told.replaces.length > 0 || isReplacing,
        deletesFirst: answer.getDeletebeforereplace(),
        told,
      };
    },

    async create({ urn, inputs, isPreview }) {
      const request = new proto.CreateRequest().setUrn(urn).setProperties(written(inputs));
      const answer = await send<proto.CreateResponse>("create", request.setPreview(isPreview).setTimeout(timeout));
      return { id: answer.getId(), outputs: read(answer.getProperties()) };
    },

    async update({ isPreview, ...asked }) {
      const request = changing(new proto.UpdateRequest(), asked);
      const answer = await send<proto.UpdateResponse>("update", request.setPreview(isPreview).setTimeout(timeout));
      return { outputs: read(answer.getProperties()) };
    },

    async read({ urn, id, inputs, outputs }) {
      const request = new proto.ReadRequest().setUrn(urn).setId(id);
      if (inputs) request.setInputs(written(inputs));
      if (outputs) request.setProperties(written(outputs));
      const answer = await send<proto.ReadResponse>("read", request);
      const found = answer.getInputs();
      if (answer.getId() === "") return { id: "" };
      return { id: answer.getId(), ...(found && { inputs: read(found) }), outputs: read(answer.getProperties()) };
    },

    async delete({ urn, id, inputs, outputs }) {
      const request = new proto.DeleteRequest().setUrn(urn).setId(id).setProperties(written(outputs));
      await send("delete", request.setOldInputs(written(inputs)).setTimeout(timeout));
    },
  };
}

function changing<Request extends proto.DiffRequest | proto.UpdateRequest>(
  request: Request,
  { urn, id, oldInputs, oldOutputs, inputs, ignoreChanges }: { urn: string } & Changed,
): Request {
  request.setUrn(urn).setId(id).setOlds(written(oldOutputs)).setOldInputs(written(oldInputs));
  request.setNews(written(inputs)).setIgnorechangesList([...ignoreChanges]);
  return request;
}

/** Values as a message; what a program leaves undefined is not sent. */
function written(values: Values): Struct {
  return Struct.fromJavaScript(defined(values) as Record<string, JavaScriptValue>);
}

function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined);
  if (typeof value !== "object" || value === null) return value;
  const known = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(known.map(([name, one]) => [name, defined(one)]));
}

function read(message: Struct | undefined): Values {
  return (message?.toJavaScript() ?? {}) as Values;
}

/** What the engine makes of an error: its text, and what the error keeps of a change that was made in part. */
function failureOf({ details = "", metadata }: Partial<ServiceError>): Error {
  const [bytes] = metadata?.get("grpc-status-details-bin") ?? [];
  if (bytes === undefined) return new Error(details);
  const [detail] = Status.deserializeBinary(Buffer.from(bytes)).getDetailsList();
  const failed = proto.ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array());
  return new PartialFailure(failed.getId(), read(failed.getProperties()), details, failed.getReasonsList());
}
