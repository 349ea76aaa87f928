/** Something that may come next in a run of the engine. */
export interface Option {
  /** A registration, the rest of one, a chain of steps, a delete or a read that begins, or the end of one of these. */
  kind: "register" | "proceed" | "begin" | "await";
  /** True for a registration while all workers are busy. */
  isAhead?: boolean;
}

/** What chance decides, as a list of numbers, so that it can be played again and shrunk. */
export class Choices {
  #next = 0;

  constructor(private readonly numbers: readonly number[]) {}

  /** One of the options; the first where the numbers have run out. */
  pick<T>(options: readonly T[]): T {
    const number = this.numbers[this.#next] ?? 0;
    this.#next += 1;
    return options[number % options.length] as T;
  }

  /** The items in an order that chance decides. */
  shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    return items.map(() => {
      const one = this.pick(left);
      left.splice(left.indexOf(one), 1);
      return one;
    });
  }

  /** What comes next in a run; undefined where nothing does, though there are options. */
  next<T extends Option>(options: readonly T[]): T | undefined {
    return this.pick(options);
  }

  /** Resolves when the next choice may be made. */
  async ready(): Promise<void> {}

  /** Waits for one of the steps that are under way. */
  settle(ends: readonly Promise<void>[]): Promise<void> {
    return this.pick(ends);
  }

  /** Whether more may begin for a while after a failure that ends the run: a call, where it is said which. */
  lingers(_verb?: string, _urn?: string): boolean {
    return false;
  }
}

/**
 * Chooses nothing at random: takes the resources in program order, and each step once planned or (`late`) when nothing
 * is left to plan.
 */
export class InOrder extends Choices {
  constructor(private readonly pace: "eager" | "late" = "eager") {
    super([]);
  }

  override next<T extends Option>(options: readonly T[]): T | undefined {
    const [first, second] = this.pace === "late" ? (["register", "begin"] as const) : (["begin", "register"] as const);
    const find = (wanted: Option["kind"]) => options.find(({ kind, isAhead }) => kind === wanted && !isAhead);
    return find("proceed") ?? find(first) ?? find(second) ?? find("await") ?? options[0];
  }
}

/** After so many milliseconds of a step, the next resource has been registered, and the next step begun. */
const LONG_MS = 1_000;

/** The choices of others, where the time passes: while a step takes long, the engine goes on with what is ready. */
export class Paced extends Choices {
  #isLong = false;

  constructor(
    private readonly own: Choices,
    private readonly clock: { sleep(ms: number, signal?: AbortSignal): Promise<void> },
  ) {
    super([]);
  }

  override next<T extends Option>(options: readonly T[]): T | undefined {
    const ready = this.#isLong ? options.filter(({ kind }) => kind !== "await") : [];
    this.#isLong = false;
    return this.own.next(ready.length > 0 ? ready : options);
  }

  /** Waits for one of the steps that are under way, though not for long. */
  override async settle(ends: readonly Promise<void>[]): Promise<void> {
    const ended = new AbortController();
    const end = this.own.settle(ends).then(() => ended.abort());
    const isLong = this.clock.sleep(LONG_MS, ended.signal).then(
      () => true,
      () => false,
    );
    this.#isLong = await Promise.race([isLong, end.then(() => false)]);
  }
}
