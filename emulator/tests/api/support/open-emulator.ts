/** An emulator for a test, with a steered clock, and calls whose answers are held against the published description. */
import { expect, onTestFinished } from "vitest";
import {
  type BranchRecord,
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type EndpointRecord,
  type OperationRecord,
  type ProjectRecord,
} from "../../../index";
import { deviationsOf, unknownDeviations } from "./description";

/** What a call was answered with; `body` is the parsed JSON, `undefined` when there was none. */
export interface Answer {
  status: number;
  headers: Headers;
  body: AnswerBody;
  text: string;
}

/** The parts of answers that the tests look at. */
export interface AnswerBody {
  endpoint: EndpointRecord;
  endpoints: EndpointRecord[];
  operation: OperationRecord;
  operations: OperationRecord[];
  pagination?: { cursor: string; next?: string };
  branch: BranchRecord;
  branches: BranchRecord[];
  snapshot: { id: string; name: string; source_branch_id: string };
  project: ProjectRecord;
  code: string;
  message: string;
  request_id?: string;
}

/** How a call is sent. Without `headers` it carries the key. */
export interface CallInit {
  json?: unknown;
  form?: string;
  raw?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** An emulator with a caller for it. */
export type Opened = Awaited<ReturnType<typeof openEmulator>>;

/** An emulator, built or not, that can be asked what is in force. */
interface Steered {
  admin: Pick<Emulator["admin"], "settings" | "faults">;
}

/** The time that the manual clock starts at. */
export const START = Date.UTC(2024, 4, 1, 10, 0, 0);

/**
 * Opens an emulator with a manual clock and operations of one second; the test closes it. Checks every answer against
 * the published description, except where a fault or setting deviates on purpose.
 */
export async function openEmulator(options: EmulatorOptions = {}) {
  const emulator = await createEmulator({ clock: "manual", startAt: START, operationMs: 1000, ...options });
  onTestFinished(() => emulator.close());
  return {
    ...emulator,
    /** Calls a path below the base address; `{p}` in it is the seeded project. */
    call: (method: string, path: string, init?: CallInit) => callOn(emulator, method, path, init),
    /** Calls an admin path. */
    admin_: (method: string, path: string, json?: unknown) =>
      send(`${emulator.adminUrl}${path}`, method, json === undefined ? {} : { json }),
  };
}

/**
 * Calls a path below an emulator's base address, with `{p}` for the seeded project, and checks the answer against the
 * description.
 */
export async function callOn(
  emulator: Pick<Emulator, "url" | "apiKey" | "projectId"> & Steered,
  method: string,
  path: string,
  init: CallInit = {},
): Promise<Answer> {
  const whole = path.replace("{p}", `/projects/${emulator.projectId}`);
  const headers = { authorization: `Bearer ${emulator.apiKey}` };
  const answer = await send(`${emulator.url}${whole}`, method, { headers, ...init });
  if (isAsDescribed(emulator)) {
    const found = deviationsOf({ method, path: whole, status: answer.status, body: answer.body }) ?? [];
    expect(unknownDeviations(found), `${method} ${whole}: ${answer.status}`).toEqual([]);
  }
  return answer;
}

/** Whether nothing that is in force makes the answers other than the description has them. */
function isAsDescribed({ admin }: Steered): boolean {
  const { surprise, operationDurations, removedFields } = admin.settings();
  return admin.faults().length === 0 && !surprise && operationDurations && removedFields === "kept";
}

/** A branch with nothing on it, by the admin's hand. */
export function freeBranch(emulator: Emulator): string {
  return emulator.admin.seedBranch(emulator.projectId).id;
}

/** An endpoint at rest on a branch of its own, by the admin's hand. */
export function restingEndpoint(emulator: Emulator, state: "active" | "idle" = "idle"): string {
  return emulator.admin.seedEndpoint(emulator.projectId, { branch_id: freeBranch(emulator), current_state: state }).id;
}

async function send(url: string, method: string, init: CallInit): Promise<Answer> {
  const headers: Record<string, string> = { ...init.headers };
  let body = init.raw;
  if (init.json !== undefined) {
    body = JSON.stringify(init.json);
    headers["content-type"] = "application/json";
  } else if (init.form !== undefined) {
    body = init.form;
    headers["content-type"] = "application/x-www-form-urlencoded";
  }
  const response = await fetch(url, {
    method,
    headers,
    redirect: "manual",
    ...(body !== undefined && { body }),
    ...(init.signal && { signal: init.signal }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== "" ? JSON.parse(text) : undefined,
    text,
  };
}
