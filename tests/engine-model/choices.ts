/** Something that may come next in a run of the engine. */
export interface Option {
  /** A registration, the rest of one, a chain of steps, a delete or a read that begins, or the end of one of these. */
  kind: "register" | "proceed" | "begin" | "await";
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

  override pick<T>(options: readonly T[]): T {
    const isName = (option: T) => typeof option === "string";
    const isStep = (option: T) => !isName(option) && !(option instanceof Promise);
    const [first, second] = this.pace === "late" ? [isName, isStep] : [isStep, isName];
    return options.find(first) ?? options.find(second) ?? (options[0] as T);
  }

  override next<T extends Option>(options: readonly T[]): T | undefined {
    const [first, second] = this.pace === "late" ? (["register", "begin"] as const) : (["begin", "register"] as const);
    const find = (wanted: Option["kind"]) => options.find(({ kind }) => kind === wanted);
    return find("proceed") ?? find(first) ?? find(second) ?? options[0];
  }
}
