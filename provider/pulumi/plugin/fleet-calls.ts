/** The calls about a fleet: translated between gRPC and the fleet's verbs. */
import { credentials, Metadata } from "@grpc/grpc-js";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { ResourceStatusClient } from "@pulumi/pulumi/proto/resource_status_grpc_pb";
import { PublishViewStepsRequest, ViewStep, ViewStepState } from "@pulumi/pulumi/proto/resource_status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { memberPath } from "../../fleet/model";
import { type Member, parseFleet } from "../../fleet/parse-fleet";
import type { FleetPlan } from "../../fleet/plan";
import { memberUrn, nameOfUrn, typeOfUrn } from "../../lib/owner";
import { orRefusedKey } from "../check";
import { checkFleet } from "../fleet/check";
import { createFleet, diffFleet, readFleetState, removeFleet, updateFleet } from "../fleet/lifecycle";
import { previewFleet } from "../fleet/preview";
import {
  redactFleetFailure,
  sealed,
  secretsOfFleet,
  secretsOfInputs,
  secretsOfMember,
  stillSecretInFleet,
} from "../fleet/secrets";
import type { MarkedValues, Path } from "../secrets";
import { type Answer, toFailure, toServiceError } from "./answer";
import { toFleetDiffResponse } from "./detailed-diff";
import { knownOrAbsent, type ResourceCalls } from "./resource-calls";
import type { Session } from "./session";
import { decode, encode } from "./values";

/** A request that may be that of a preview. */
type Previewed = proto.CreateRequest | proto.UpdateRequest;

const viewOps = {
  create: "create",
  adopt: "import",
  update: "update",
  replace: "replace",
  delete: "delete",
  release: "delete",
} as const;

const { Op, Status } = ViewStep;

const ops = {
  create: Op.CREATE,
  import: Op.IMPORT,
  update: Op.UPDATE,
  replace: Op.REPLACE,
  delete: Op.DELETE,
} as const;

/** How long the engine may take to answer, in milliseconds. */
const TIMEOUT_MS = 10_000;
/** Rows that are shown with one call: those of 10,000 members in one would be the largest thing in memory. */
const ROWS_AT_ONCE = 1_000;

/** The calls about a fleet. */
export function fleetCalls(session: Session, answer: Answer): ResourceCalls {
  /** A row for each member that changes, where the engine has rows for parts of a resource. */
  const show = async (
    request: Previewed,
    plan: FleetPlan | undefined,
    news: MarkedValues,
    olds?: MarkedValues,
  ): Promise<void> => {
    if (!session.supportsViews || !plan) return;
    const address = request.getResourceStatusAddress();
    const rows = viewRows(plan, request.getUrn(), { news: news.secrets, olds: olds?.secrets ?? [] });
    await publishViews({ address, token: request.getResourceStatusToken() }, rows);
  };
  return {
    check: answer(
      async ({ request }) => {
        const [olds, news] = [decode(request.getOlds()), decode(request.getNews())];
        const call = session.context(request.getUrn(), [olds, news]);
        const secrets = [...olds.secrets, ...news.secrets];
        const { inputs, failures } = await orRefusedKey(news.values, () =>
          checkFleet(call, { olds: olds.values, news: news.values, secrets }),
        );
        const members = membersOf(news, failures.length > 0);
        const response = new proto.CheckResponse();
        response.setInputs(encode(inputs, secretsOfInputs(news.secrets, members.values())));
        return response.setFailuresList(failures.map((one) => toFailure(redactFleetFailure(one, news, members))));
      },
      (request) => request.getNews(),
    ),

    diff: answer(
      async ({ request }) => {
        const [olds, news] = [decode(request.getOlds()), decode(request.getNews())];
        const result = await diffFleet(session.context(request.getUrn(), [olds, news]), {
          id: request.getId(),
          state: olds.values,
          inputs: news.values,
          oldInputs: knownOrAbsent(request.getOldInputs()),
          secrets: [...olds.secrets, ...news.secrets],
          ignoreChanges: request.getIgnorechangesList(),
        });
        return toFleetDiffResponse(result);
      },
      (request) => request.getNews(),
    ),

    create: answer(
      async ({ request }) => {
        const given = decode(request.getProperties());
        const call = session.context(request.getUrn(), [given], request.getTimeout());
        const response = new proto.CreateResponse();
        const secrets = outputSecrets(given);
        if (request.getPreview()) {
          const { outputs, plan } = await previewFleet(call, { inputs: given.values });
          await show(request, plan, given);
          return response.setProperties(encodeSealed(outputs, secrets));
        }
        const { id, state } = await withMarkedState([given], secrets, () => createFleet(call, given.values));
        return response.setId(id).setProperties(encodeSealed(state, secrets));
      },
      (request) => request.getProperties(),
    ),

    read: answer(
      async ({ request }) => {
        const [state, inputs] = [decode(request.getProperties()), decode(request.getInputs())];
        const call = session.context(request.getUrn(), [state, inputs]);
        const result = await readFleetState(call, { id: request.getId(), state: state.values, inputs: inputs.values });
        const response = new proto.ReadResponse();
        const outputPlaces = [...state.secrets, ...outputSecrets(inputs, state)];
        response.setId(result.id).setProperties(encodeSealed(result.state, outputPlaces));
        const members = membersOf(inputs);
        const secrets = secretsOfInputs(inputs.secrets, members.values());
        // After a change that failed half-way the old inputs do not have what the state has.
        return response.setInputs(encode(result.inputs, [...secrets, ...state.secrets]));
      },
      (request) => request.getProperties(),
    ),

    update: answer(
      async ({ request }) => {
        const [olds, news] = [decode(request.getOlds()), decode(request.getNews())];
        const call = session.context(request.getUrn(), [olds, news], request.getTimeout());
        const ignoreChanges = request.getIgnorechangesList();
        const oldInputs = knownOrAbsent(request.getOldInputs());
        const fleet = { id: request.getId(), state: olds.values, inputs: news.values, oldInputs, ignoreChanges };
        const response = new proto.UpdateResponse();
        const secrets = outputSecrets(news, olds);
        if (request.getPreview()) {
          const { outputs, plan } = await previewFleet(call, fleet);
          await show(request, plan, news, olds);
          return response.setProperties(encodeSealed(outputs, secrets));
        }
        const { state } = await withMarkedState([olds, news], secrets, () => updateFleet(call, fleet));
        return response.setProperties(encodeSealed(state, secrets));
      },
      (request) => request.getNews(),
      (request) => request.getOlds(),
    ),

    delete: answer(
      async ({ request }) => {
        const state = decode(request.getProperties());
        const call = session.context(request.getUrn(), [state], request.getTimeout());
        await removeFleet(call, { id: request.getId(), state: state.values });
        return new Empty();
      },
      (request) => request.getProperties(),
    ),
  };
}

function* viewRows(
  { members }: FleetPlan,
  fleetUrn: string,
  secrets: { news: readonly Path[]; olds: readonly Path[] },
): Generator<ViewRow> {
  for (const { key, change, diff, member, stored, found } of members.values()) {
    if (change === "same") continue;
    // What is taken over may change as well.
    const op = change === "adopt" && diff?.changes ? "update" : viewOps[change];
    const urn = memberUrn(fleetUrn, key);
    // Of one that goes, what it is known by.
    const { endpointId, branchId } = stored?.state ?? {};
    const inputs = member
      ? { ...member.inputs, ...(change === "adopt" && { endpointId: found?.record.id }) }
      : { endpointId, branchId };
    const marked = member
      ? secretsOfMember(secrets.news, member)
      : secretsOfMember(secrets.olds, { key, pathOf: (property) => memberPath(key, property) });
    yield { op, type: typeOfUrn(urn) ?? "", name: nameOfUrn(urn), inputs: encode(inputs, marked) };
  }
}

/** The members whose values something has to be kept secret of, or told of; without either there is no need to read them. */
function membersOf({ values, secrets }: MarkedValues, isTold = false): ReadonlyMap<string, Member> {
  return (isTold || secrets.length > 0 ? parseFleet(values).members : undefined) ?? new Map();
}

/** The secret places of the outputs of a fleet with these inputs; and those of its old state that they say nothing about. */
function outputSecrets(inputs: MarkedValues, olds: MarkedValues = { values: {}, secrets: [] }): Path[] {
  const members = membersOf(inputs, olds.secrets.length > 0);
  return [...secretsOfFleet(inputs.secrets, members.values()), ...stillSecretInFleet(olds, members)];
}

function encodeSealed(outputs: Readonly<Record<string, unknown>>, secrets: readonly Path[]) {
  const { values, secrets: places } = sealed(outputs, secrets);
  return encode(values, places);
}

/** Runs a change; where it fails, the state that goes with the error has its secrets marked. */
async function withMarkedState<T>(
  given: readonly MarkedValues[],
  secrets: readonly Path[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toServiceError(error, given, (state) => encodeSealed(state, secrets));
  }
}

/** One row. Of a state before the change nothing is told: the engine has none. */
interface ViewRow {
  op: "create" | "import" | "update" | "replace" | "delete";
  type: string;
  name: string;
  inputs: Struct;
}

/** Where the engine takes rows for one call. */
interface ViewTarget {
  address: string;
  token: string;
}

/** Shows the rows, some at a time. A row that is lost must not fail a preview, so that this never rejects. */
async function publishViews({ address, token }: ViewTarget, rows: Iterable<ViewRow>): Promise<void> {
  if (address === "") return;
  const client = new ResourceStatusClient(address, credentials.createInsecure());
  const publish = (steps: ViewStep[]) =>
    new Promise<void>((resolve) => {
      const request = new PublishViewStepsRequest().setToken(token).setStepsList(steps);
      client.publishViewSteps(request, new Metadata(), { deadline: Date.now() + TIMEOUT_MS }, () => resolve());
    });
  let steps: ViewStep[] = [];
  for (const row of rows) {
    if (steps.length === ROWS_AT_ONCE) {
      await publish(steps);
      steps = [];
    }
    steps.push(toStep(row));
  }
  if (steps.length > 0) await publish(steps);
  client.close();
}

function toStep({ op, type, name, inputs }: ViewRow): ViewStep {
  const state = new ViewStepState();
  state.setType(type);
  state.setName(name);
  state.setInputs(inputs);
  const step = new ViewStep();
  step.setStatus(Status.OK);
  step.setOp(ops[op]);
  step.setType(type);
  step.setName(name);
  step.setNew(state);
  return step;
}
