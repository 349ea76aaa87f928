/** Emulators with Postgres servers, and clients of those. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type EndpointRecord,
  type OperationRecord,
} from "pgcompute-emulator";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { EndpointFields } from "../../../lifecycle/create-endpoint";
import { commandOf } from "../../../postgres/processes";
import { type AnswerBody, callOn } from "../../api/support/open-emulator";

/** An emulator whose endpoints are Postgres servers, with what the tests do to it. */
export type Bench = ReturnType<typeof benchOf>;

/** A client that remembers how it was cut off. */
export interface Client extends pg.Client {
  /** Resolves with the SQLSTATE that the server ended it with, once the connection is closed. */
  readonly dropped: Promise<string>;
  isOpen: boolean;
}

/** True where another account can be tried. */
export const isRoot = process.getuid?.() === 0;

/** The id of an account that no machine has which tests run on. */
export const OTHER = 61_234;

/** Starts an emulator for the tests of a file. */
export function useBench(options: EmulatorOptions = {}): Bench {
  let emulator: Emulator | undefined;
  const running = () => {
    if (!emulator) throw new Error("the emulator runs only within tests");
    return emulator;
  };
  beforeAll(async () => {
    emulator = await createEmulator({ postgres: true, operationMs: 20, ...options });
  });
  afterAll(() => emulator?.close());
  return benchOf(running);
}

/** The same for an emulator that a test has started itself. */
export function benchOf(running: () => Emulator) {
  const bench = {
    get emulator(): Emulator {
      return running();
    },
    /** Calls a path below the project. Throws for a refusal. */
    async call(method: string, path: string, body?: object): Promise<AnswerBody> {
      const answer = await callOn(running(), method, `{p}${path}`, body && { json: body });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.message}`);
      return answer.body;
    },
    /** Resolves when the operations of an answer have ended; with them. */
    async ended({ operations }: AnswerBody): Promise<OperationRecord[]> {
      const ids = operations.map(({ id }) => id);
      return until(() => {
        const found = running()
          .admin.project(running().projectId)
          .operations.filter(({ id }) => ids.includes(id));
        return found.every(({ status }) => status === "finished" || status === "failed") && found.reverse();
      });
    },
    /** Calls a path, waits until each of its operations has finished, and returns the answer. */
    async change(method: string, path: string, body?: object): Promise<AnswerBody> {
      const answer = await bench.call(method, path, body);
      for (const { status, error } of await bench.ended(answer))
        expect([status, error]).toEqual(["finished", undefined]);
      return answer;
    },
    /** A branch of another one with these endpoints, once it is there. */
    async branch(parentId: string, ...types: EndpointRecord["type"][]) {
      const endpoints = types.map((type) => ({ type }));
      const made = await bench.change("POST", "/branches", { branch: { parent_id: parentId }, endpoints });
      return { id: made.branch.id, endpointIds: made.endpoints.map(({ id }) => id) };
    },
    /** An idle endpoint on a branch of its own. */
    endpoint(fields: EndpointFields = {}) {
      const { admin, projectId } = running();
      const { id: branchId } = admin.seedBranch(projectId);
      return { id: admin.seedEndpoint(projectId, { branch_id: branchId, ...fields }).id, branchId };
    },
  };
  return bench;
}

/** Starts an emulator that is closed with the test. */
export async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await createEmulator({ postgres: true, operationMs: 20, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

/** A folder for an emulator's data, removed after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pgcompute-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Gives a folder with what is in it to the account that servers run as where the tests run as root. */
export function giveAway(folder: string): void {
  if (isRoot) execFileSync("chown", ["-Rh", "nobody", folder]);
}

/** Connects to an endpoint by the door's port and `options`; `config` changes the way. Closed after the test. */
export async function connect(emulator: Emulator, endpointId: string, config: pg.ClientConfig = {}): Promise<Client> {
  const client = newClient({ connectionString: emulator.admin.connectionStrings(endpointId).url, ...config });
  await client.connect();
  client.isOpen = true;
  return client;
}

/** A client that has not connected yet. */
export function newClient(config: pg.ClientConfig): Client {
  const client = new pg.Client(config) as Client;
  let code = "";
  client.on("error", (error: Error & { code?: string }) => {
    code ||= error.code ?? "";
  });
  const dropped = new Promise<string>((resolve) => {
    client.on("end", () => {
      client.isOpen = false;
      resolve(code);
    });
  });
  Object.assign(client, { dropped, isOpen: false });
  onTestFinished(async () => {
    if (client.isOpen) await client.end();
  });
  return client;
}

/** The first column of what a query answers. */
export async function values(client: pg.Client, sql: string): Promise<unknown[]> {
  const { rows } = await client.query<unknown[]>({ text: sql, rowMode: "array" });
  return rows.map(([value]) => value);
}

/** The server that a client is connected to, by process. */
export async function serverOf(client: Client): Promise<number> {
  const [backend] = await values(client, "SELECT pg_backend_pid()");
  return parentOf(Number(backend));
}

/** The folder of a server's sockets. */
export function runFolderOf(server: number): string {
  return /unix_socket_directories="(.*?)\/s"/.exec(commandOf(server))?.[1] ?? "unknown";
}

/** Every process of the machine. */
export function processes(): number[] {
  return readdirSync("/proc").map(Number).filter(Boolean);
}

/** The process that has started another; 0 for one that has ended. */
export function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return 0;
  }
}

/** Looks until there is something to see. */
export async function until<T>(look: () => T | Promise<T>): Promise<Exclude<T, false | undefined | null>> {
  for (;;) {
    const seen = await look();
    if (seen !== false && seen !== undefined && seen !== null) return seen as Exclude<T, false | undefined | null>;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
