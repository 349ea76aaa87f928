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
}
