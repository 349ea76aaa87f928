/** The life of two endpoints on branches of their own: created, resized, moved, suspended, started and deleted. */

import { randomBytes } from "node:crypto";
import { type Endpoints, openStack } from "../engine/stack";
import { openRecorder, type Recorder } from "./recorder";
import type { Recorded } from "./shapes";

/** The scenario's project and branch. */
export interface Place {
  baseUrl: string;
  apiKey: string;
  projectId: string;
  /** The parent of the scenario's own branches; not changed. */
  branchId: string;
}

/** The result of a scenario. */
export interface Outcome {
  answers: Recorded[];
  /** The reason of a failure; undefined for success. */
  failure: Error | undefined;
  /** Ids that could not be cleaned up. */
  left: string[];
}

const WAIT_MS = 10 * 60_000;
const PAUSE_MS = 2000;

/** Plays the scenario and cleans up in any case. Never rejects. */
export async function play(place: Place, say: (line: string) => void, signal: AbortSignal): Promise<Outcome> {
  const recorder = await openRecorder(place);
  const mark = `pgcompute-live-${randomBytes(4).toString("hex")}`;
  let failure: Error | undefined;
  try {
    await drive(place, recorder, mark, say, signal);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  say("clean up");
  const left = await cleanUp(place, recorder, mark).catch((error: unknown) => [`everything named ${mark}: ${error}`]);
  await recorder.close();
  return { answers: recorder.answers, failure, left };
}

async function drive(
  { projectId, branchId, apiKey }: Place,
  recorder: Recorder,
  mark: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  say(`branches ${mark}-1 to -3`);
  const branches: string[] = [];
  for (const number of [1, 2, 3]) {
    signal.throwIfAborted();
    const body = { branch: { name: `${mark}-${number}`, parent_id: branchId } };
    const created = (await recorder.call("POST", `/projects/${projectId}/branches`, body)) as {
      branch: { id: string };
    };
    branches.push(created.branch.id);
    await settled(recorder, projectId);
  }
  const [one = "", two = "", three = ""] = branches;
  const size = (min: number, max: number) => ({ autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });
  const born: Endpoints = {
    first: { projectId, branchId: one, sizeCu: 0.25, suspendTimeoutSeconds: 300 },
    second: { projectId, branchId: two, ...size(0.25, 0.5) },
  };
  const resized: Endpoints = {
    first: { ...born.first, sizeCu: 0.5 },
    second: { ...born.second, ...size(0.25, 1) },
  };
  const moved: Endpoints = { ...resized, first: { ...resized.first, branchId: three } };
  const both = (more: object): Endpoints => ({
    first: { ...moved.first, ...more },
    second: { ...moved.second, ...more },
  });
  const steps: [name: string, program: Endpoints][] = [
    ["create", born],
    ["resize", resized],
    ["move", moved],
    ["suspend", both({ disabled: true })],
    ["start", both({ disabled: false, restartTrigger: "started" })],
  ];
  const stack = await openStack({ url: recorder.url, apiKey }, signal);
  try {
    for (const [name, program] of steps) {
      signal.throwIfAborted();
      say(name);
      stack.declare(program);
      await stack.pulumi("up", "--yes", "--skip-preview");
      await look(recorder, projectId, branches);
    }
    say("delete");
    await stack.pulumi("destroy", "--yes", "--skip-preview");
  } finally {
    stack.close();
  }
}

/** Reads the results of a step, so that each state is among the answers. */
async function look(recorder: Recorder, projectId: string, branches: readonly string[]): Promise<void> {
  for (const branch of branches) {
    await recorder.call("GET", `/projects/${projectId}/branches/${branch}`);
    await recorder.call("GET", `/projects/${projectId}/branches/${branch}/endpoints`);
  }
  await recorder.call("GET", `/projects/${projectId}/operations?limit=20`);
}

/** Deletes the scenario's branches with their endpoints, found by name; returns the rest. */
async function cleanUp({ projectId }: Place, recorder: Recorder, mark: string): Promise<string[]> {
  const path = `/projects/${projectId}/branches`;
  const found = async () => {
    const { branches } = (await recorder.call("GET", `${path}?search=${mark}`)) as {
      branches: { id: string; name: string }[];
    };
    return branches.filter(({ name }) => name.startsWith(mark));
  };
  for (const { id } of await found()) {
    await settled(recorder, projectId).catch(() => undefined);
    await recorder.call("DELETE", `${path}/${id}`).catch((error: unknown) => console.error(`  ${String(error)}`));
  }
  await settled(recorder, projectId);
  return (await found()).map(({ id }) => id);
}

/** Waits until no operation of the project is open, up to ten minutes. */
async function settled(recorder: Recorder, projectId: string): Promise<void> {
  const open = new Set(["scheduling", "running", "cancelling"]);
  for (const endMs = Date.now() + WAIT_MS; Date.now() < endMs; ) {
    const path = `/projects/${projectId}/operations?limit=50`;
    const { operations } = (await recorder.call("GET", path)) as { operations: { status: string }[] };
    if (!operations.some(({ status }) => open.has(status))) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`project ${projectId} still has open operations after ${WAIT_MS / 60_000} minutes`);
}
