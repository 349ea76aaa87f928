/** A run's knowledge of a project's branches: one shared list, read as far as it is needed. */
import type { Clock } from "../../lib/clock";
import type { Api } from "../api";
import { isKind } from "../errors";
import type { RequestOptions } from "../http/request";
import { lists } from "../policy";
import type { BranchRecord } from "../records";
import { noticed } from "../until";
import { once } from "./shared";

/**
 * A project's branches (specification, section 4, published). Reads the first page on the first request, then a few missing
 * branches by id, then the rest of the list.
 */
export class Branches {
  readonly #known = new Map<string, BranchRecord>();
  #walk: AsyncGenerator<BranchRecord[]> | undefined;
  #askedById = 0;
  /** True once the list was read to its end. */
  #isWhole = false;

  readonly #first = once(
    () => this.#readPage(),
    // The project itself was readable, so a 404 or 405 means that the platform lacks the call.
    (error) => isKind(error, "not_found", "invalid_request"),
  );
  readonly #whole = once(
    async () => {
      while (!this.#isWhole) await this.#readPage();
    },
    () => false,
  );

  constructor(
    private readonly api: Pick<Api, "branchPages" | "getBranch" | "waitingFor">,
    private readonly clock: Clock,
    private readonly projectId: string,
  ) {}

  /** False on a platform that lists no branches: then `find` and `successors` know none. */
  async areListed(options: RequestOptions = {}): Promise<boolean> {
    return (await this.#noticed(this.#first(options.signal), options)) !== undefined;
  }

  /** The branch, by the list or by id; undefined if there is none. */
  async find(branchId: string, options: RequestOptions = {}): Promise<BranchRecord | undefined> {
    if (!(await this.areListed(options))) return undefined;
    if (this.#askedById >= lists.mostById && !this.#known.has(branchId)) await this.#readWhole(options);
    return this.#known.get(branchId) ?? this.#readById(branchId, options);
  }

  /** The branches that replaced this one in turn as snapshots were restored; the last is current. */
  async successors(branchId: string, options: RequestOptions = {}): Promise<BranchRecord[]> {
    if (!(await this.areListed(options))) return [];
    await this.#readWhole(options);
    const branches = [...this.#known.values()];
    const line: BranchRecord[] = [];
    for (let ids = [branchId]; ids.length > 0; ) {
      const next = branches.filter((one) => ids.includes(one.restoredAs ?? "") && !line.includes(one));
      line.push(...next);
      ids = next.map(({ id }) => id);
    }
    return line;
  }

  /** Reads the next page. After a failure the walk begins anew. */
  async #readPage(): Promise<true> {
    this.#walk ??= this.api.branchPages(this.projectId);
    const page = await this.#walk.next().catch((error: unknown) => {
      this.#walk = undefined;
      throw error;
    });

    if (page.done) this.#isWhole = true;
    else this.#put(page.value);
    return true;
  }

  async #readWhole(options: RequestOptions): Promise<void> {
    await this.#noticed(this.#whole(options.signal), options);
  }

  /** Reads a branch that is younger than the list, or stands on a page that was not read. */
  async #readById(branchId: string, options: RequestOptions): Promise<BranchRecord | undefined> {
    this.#askedById += 1;
    try {
      const branch = await this.api.getBranch(this.projectId, branchId, options);
      this.#put([branch]);
      return branch;
    } catch (error) {
      if (isKind(error, "not_found")) return undefined;
      throw error;
    }
  }

  #put(branches: readonly BranchRecord[]): void {
    for (const branch of branches) this.#known.set(branch.id, branch);
  }

  #noticed<T>(work: Promise<T>, { onWait }: RequestOptions): Promise<T> {
    const what = () => this.api.waitingFor() ?? "the list of the project's branches";
    return noticed(this.clock, work, what, onWait);
  }
}
