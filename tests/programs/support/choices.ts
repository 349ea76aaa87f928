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
