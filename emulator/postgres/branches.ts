import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BranchRecord } from "../model/branch";
import type { Platform } from "../model/platform";
import type { Login } from "../model/project";
import { copyDatabase, makeDatabase, setRoles } from "./branch-data";
import type { Server, ServerHost } from "./server";
import type { Passwords } from "./server-config";

/** A branch with its data folder. */
export interface BranchPlace {
  key: string;
  /** The data directory; created on first use, unless the branch is a copy. */
  folder: string;
}

/** Facts from other parts of the emulator. */
interface Around {
  /** The server that writes to a branch. */
  writerOf(key: string): Server | undefined;
  /** The role and database of a project's clients. */
  loginOf(projectId: string): Login;
}

/** The data of all branches, in one folder. A branch is copied from its parent, or gets new data on first use. */
export class Branches {
  readonly #host: ServerHost;
  readonly #folder: string;
  readonly #passwords: Passwords;
  readonly #around: Around;
  readonly #known = new Set<string>();
  /** The reasons why branches lack their parent's data. */
  readonly #failed = new Map<string, string>();
  readonly #turns = new Map<string, Promise<unknown>>();
  #template: Promise<string> | undefined;

  constructor(host: ServerHost, folder: string, passwords: Passwords, around: Around) {
    this.#host = host;
    this.#folder = folder;
    this.#passwords = passwords;
    this.#around = around;
  }

  /** The folder of a branch. */
  place(record: Pick<BranchRecord, "id" | "project_id">): BranchPlace {
    const key = `${record.project_id}/${record.id}`;
    return { key, folder: join(this.#folder, record.project_id, record.id, "data") };
  }

  /** The folder for one of the branch's replicas. */
  replicaFolder(place: BranchPlace, endpointId: string): string {
    return join(dirname(place.folder), endpointId);
  }

  /** An unused data directory: the template of new ones, and for checking settings. */
  template(): Promise<string> {
    const folder = join(this.#folder, "template");
    const make = async () => {
      if (!existsSync(folder)) await makeDatabase(this.#host, folder, this.#passwords);
      return folder;
    };

    this.#template ??= make().catch((error: unknown) => {
      // Such as a full disk: the next caller retries.
      this.#template = undefined;
      throw error;
    });
    return this.#template;
  }

  /** Runs work on a branch, one after another. */
  async inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(key);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();

    this.#turns.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
    }
  }

  /** Records the data that earlier emulators left; those of deleted branches go. */
  find(): void {
    const foldersIn = (path: string) =>
      readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
    for (const project of foldersIn(this.#folder)) {
      // The template, beside the projects, has no branches.
      const branches = foldersIn(join(this.#folder, project)).filter((name) => /^(br|snap)-/.test(name));
      for (const id of branches) this.#known.add(this.place({ id, project_id: project }).key);
    }
  }

  /** Records a branch of an earlier emulator: with data, as new, or as failed if its copy was incomplete. */
  know(record: BranchRecord): void {
    const place = this.place(record);
    this.#known.add(place.key);
    if (existsSync(place.folder)) return;
    if (record.current_state === "init" && this.#hasDataOf(record)) beginCopy(place);
    if (existsSync(copyMark(place)))
      this.#failed.set(place.key, "the copy had not ended when the emulator did, or failed");
  }

  isKnown(record: BranchRecord): boolean {
    return this.#known.has(this.place(record).key);
  }

  /** Copies the parent's current data for a new branch. */
  async grow(record: BranchRecord): Promise<void> {
    const place = this.place(record);
    if (this.#known.has(place.key)) return;
    this.#known.add(place.key);
    const { parent_id: parentId, project_id } = record;
    if (parentId === undefined) return;

    const parent = this.place({ id: parentId, project_id });
    await this.inTurn(place.key, () => this.inTurn(parent.key, () => this.#copy(parent, place))).catch(
      (error: Error) => {
        this.#failed.set(place.key, error.message);
        throw error;
      },
    );
  }

  /** A branch's data directory, created for a new branch. Call in the branch's turn. */
  async dataOf(place: BranchPlace): Promise<string> {
    const reason = this.#failed.get(place.key);
    if (reason !== undefined)
      throw new Error(`the branch has no data, since its parent's could not be copied: ${reason}`);
    if (!existsSync(place.folder)) {
      await copyDatabase({ folder: await this.template(), running: undefined }, place.folder, this.#passwords);
    }

    if (!this.#around.writerOf(place.key)) {
      const [projectId = ""] = place.key.split("/");
      const login = this.#around.loginOf(projectId);
      const disabled = await setRoles(this.#host, place.folder, this.#passwords, login);
      if (disabled > 0) console.error(disabledMessage(place, disabled));
    }
    return place.folder;
  }

  /** A copy of a branch's data for a replica. Call in the branch's turn. */
  async copyForReplica(place: BranchPlace, folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true });
    const source = { folder: await this.dataOf(place), running: this.#around.writerOf(place.key) };
    await copyDatabase(source, folder, this.#passwords);
  }

  /** Removes the data of a deleted branch. */
  async remove(place: BranchPlace): Promise<void> {
    this.#known.delete(place.key);
    await this.inTurn(place.key, () => rm(dirname(place.folder), { recursive: true, force: true }));
  }

  /** Resolves when all work is done. */
  async settled(): Promise<void> {
    await this.#template?.catch(() => undefined);
    await Promise.all([...this.#turns.values()].map((turn) => turn.catch(() => undefined)));
  }

  /** Removes everything, with the folder. */
  async removeAll(): Promise<void> {
    await this.settled();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Branches with data here that the platform no longer has. */
  gone(platform: Platform): BranchPlace[] {
    return [...this.#known].flatMap((key) => {
      const [projectId = "", id = ""] = key.split("/");
      const project = platform.projects.get(projectId);
      if (project?.branches.has(id) || project?.open.has(id) || (project?.deleting ?? false)) return [];
      return [this.place({ id, project_id: projectId })];
    });
  }

  #hasDataOf({ parent_id: id, project_id }: BranchRecord): boolean {
    return id !== undefined && existsSync(this.place({ id, project_id }).folder);
  }

  async #copy(parent: BranchPlace, child: BranchPlace): Promise<void> {
    if (!existsSync(parent.folder)) return;
    beginCopy(child);
    const source = { folder: parent.folder, running: this.#around.writerOf(parent.key) };
    await copyDatabase(source, child.folder, this.#passwords);
  }
}

function disabledMessage({ key }: BranchPlace, count: number): string {
  const what = count === 1 ? "a subscription is" : `${count} subscriptions are`;
  return `branch ${key}: ${what} disabled for good, since a branch publishes and does not subscribe`;
}

/** File beside a branch's data while it is copied: without data, the copy failed. */
function copyMark({ folder }: BranchPlace): string {
  return join(dirname(folder), "copy");
}

function beginCopy(place: BranchPlace): void {
  mkdirSync(dirname(place.folder), { recursive: true, mode: 0o700 });
  writeFileSync(copyMark(place), "");
}
