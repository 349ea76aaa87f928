/**
 * Rows for parts of a resource in a preview: the engine shows each as if it were a resource. Never in an update, where each would be
 * written to the state, which costs two checkpoints and can corrupt it.
 */
import { credentials, Metadata } from "@grpc/grpc-js";
import { ResourceStatusClient } from "@pulumi/pulumi/proto/resource_status_grpc_pb";
import { PublishViewStepsRequest, ViewStep, ViewStepState } from "@pulumi/pulumi/proto/resource_status_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";

/** One row. Of a state before the change nothing is told: the engine has none. */
export interface ViewRow {
  op: "create" | "import" | "update" | "replace" | "delete";
  type: string;
  name: string;
  inputs: Struct;
}

/** Where the engine takes rows for one call. */
export interface ViewTarget {
  address: string;
  token: string;
}

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

/** Shows the rows. A row that is lost must not fail a preview, so that this never rejects. */
export async function publishViews({ address, token }: ViewTarget, rows: readonly ViewRow[]): Promise<void> {
  if (address === "" || rows.length === 0) return;
  const client = new ResourceStatusClient(address, credentials.createInsecure());
  const request = new PublishViewStepsRequest();
  request.setToken(token);
  request.setStepsList(rows.map(toStep));
  await new Promise<void>((resolve) => {
    client.publishViewSteps(request, new Metadata(), { deadline: Date.now() + TIMEOUT_MS }, () => resolve());
  });
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
