const ADJECTIVES =
  "amber brave calm clear crisp dusky early fresh gentle green kind late mellow noble proud rapid".split(" ");
const NOUNS = "brook cliff cloud dune field fjord grove island lake meadow moss peak reef ridge river shore".split(" ");

/** The form of ids of projects, branches, endpoints and organizations: nothing that could change a path. */
export const ID = /^[a-z0-9-]{1,60}$/;

/** A seeded random source (mulberry32): the same seed gives the same ids and faults in every run. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** The state; a source set to it continues identically. */
  get state(): number {
    return this.#state;
  }

  set state(state: number) {
    this.#state = state >>> 0;
  }

  /** A number from 0 (included) to 1 (excluded). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** Two words and eight digits, such as `calm-river-01234567`, short enough for `ID` after a prefix. */
  name(): string {
    const digits = Math.floor(this.next() * 1e8);
    return `${this.#pick(ADJECTIVES)}-${this.#pick(NOUNS)}-${String(digits).padStart(8, "0")}`;
  }

  /** A version 4 UUID, the form of operation ids (specification, section 2.1). */
  uuid(): string {
    let hex = "";
    for (let word = 0; word < 4; word++) {
      hex += Math.floor(this.next() * 0x1_0000_0000)
        .toString(16)
        .padStart(8, "0");
    }
    const variant = "89ab"[Math.floor(this.next() * 4)];
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  #pick(words: readonly string[]): string {
    return words[Math.floor(this.next() * words.length)] ?? "plain";
  }
}
