/** The record of a real run, played as the choices of the engine's model: what cannot be played is a difference. */
import { isDeepStrictEqual } from "node:util";
import { Choices, type Option } from "../../engine-model/choices";
import { PartialFailure, type Provider } from "../../engine-model/deployment/resource";
import { isQuiet, resourceOf, type Step, verbOf } from "../../engine-model/deployment/steps";
import type { Values } from "../../engine-model/words";
import type { Verb } from "./sequences";

/** A line of the record: a call as it begins, or as it ends. */
export type Line =
  | { call: number; at: "begin"; verb: Verb; urn: string; asked: Values }
  | { call: number; at: "end"; is?: string; answered?: Values; failed?: { id?: string; outputs?: Values } };

/** When that is done which makes no call, so that no record tells. */
export interface Unseen {
  /** Registrations of what is left out of the run: at once, before the end of a call, or when nothing else is left. */
  registers: "soon" | "before an end" | "late";
  /** Steps without a call, such as a delete that is retained: one bit for each of the first, set where it is soon. */
  steps: number;
}

type Begin = Line & { at: "begin" };
type End = Line & { at: "end" };

/** What the engine and its model do differently. */
export class Difference extends Error {}

const GENERATED: readonly Verb[] = ["check", "diff"];

/** Plays a record: the model's provider answers as the real one did, and what comes next is what came then. */
export class Recorded extends Choices {
  /** The calls that the model has made, by number. */
  readonly #made = new Set<number>();
  /** Calls that the model waits for, and how each ends. */
  readonly #open = new Map<number, () => void>();
  readonly #ended = new Set<number>();
  /** The resources of steps without a call, in the order in which they were met. */
  readonly #quiet: string[] = [];
  #difference: Difference | undefined;
  /** A call of a step that the record lacks. */
  #cut: string | undefined;

  constructor(
    private readonly lines: readonly Line[],
    private readonly isPreview: boolean,
    private readonly unseen: Unseen,
  ) {
    super([]);
  }

  /** Throws where the model has done what the engine did not, or the engine what the model could not. */
  hold(hasFailed: boolean): void {
    if (this.#difference) throw this.#difference;
    if (this.#cut !== undefined && !hasFailed) throw this.#differs(this.#cut);
    const left = this.lines.find((line) => line.at === "begin" && !this.#made.has(line.call));
    if (left) throw this.#differs(`the engine made a call that the model does not: ${said(left as Begin)}`);
  }

  /** After a failure whatever the record still has may come. */
  override lingers(verb?: string, urn?: string): boolean {
    return this.#begins().some((line) => (verb === undefined || line.verb === verb) && (urn ?? line.urn) === line.urn);
  }

  override next<T extends Option & { urn?: string; steps?: readonly Step[] }>(options: readonly T[]): T | undefined {
    const silent = options.filter(({ kind, steps }) => kind === "begin" && this.#firstCall(steps) === undefined);
    const soon = silent.find(({ urn = "", steps }) => this.#isSoon(urn) || steps?.some(({ op }) => op === "same"));
    if (soon) return soon;
    // The retained half of a replacement is gone without a call, and the create may never come.
    const half = options.find(
      ({ kind, urn = "", steps }) => kind === "begin" && this.#isHalf(steps) && this.#isSoon(urn),
    );
    if (half) return half;
    const [quiet] = silent;
    const own = options.find(({ kind, urn = "" }) => kind === "register" && /::pulumi:/.test(urn));
    if (own) return own;
    const head = this.#head();
    if (!head) {
      // What is left out of a run is registered without a call.
      const left = options.find(({ kind }) => kind === "register" || kind === "proceed");
      const isOver = this.#difference !== undefined || this.#cut !== undefined || options.length === 0;
      if (left || quiet || isOver) return left ?? quiet;
      this.#differs(`the engine ended, and the model goes on: ${options.map(shown).join(", ")}`);
      return undefined;
    }
    const isUnasked = ({ kind, urn }: Option & { urn?: string }) =>
      (kind === "register" || kind === "proceed") &&
      !this.#begins().some((line) => line.urn === urn && (/check|read/.test(line.verb) || this.#isGenerated(line)));
    const unasked = options.find(isUnasked);
    const isNow = this.unseen.registers === "soon" || (this.unseen.registers === "before an end" && head.at === "end");
    if (unasked && isNow) return unasked;
    if (head.at === "end") {
      const end = options.find(({ kind }) => kind === "await");
      if (!end) this.#differs(`an end without a call under way: ${head.call}`);
      return end;
    }
    const offered = options.filter((one) => this.#offers(one, head));
    const isThis = ({ steps = [] }: { steps?: readonly Step[] }) =>
      steps.some((step) => "old" in step && step.old?.id === head.asked.id);
    const found = offered.find(isThis) ?? offered[0] ?? unasked ?? quiet;
    if (!found) this.#differs(`the engine begins ${said(head)}; the model offers ${options.map(shown).join(", ")}`);
    return found;
  }

  /** Ends the call that ended next. */
  override async settle(): Promise<void> {
    const head = this.#head();
    if (head?.at === "end") {
      this.#ended.add(head.call);
      this.#open.get(head.call)?.();
    }
  }

  /** Lets all that goes on by itself come to its next call. */
  override async ready(): Promise<void> {
    await new Promise(setImmediate);
  }

  /** The provider that answers by the record. */
  provider(): Provider {
    const call = (verb: Verb) => (request: { urn: string }) => this.#call(verb, request) as Promise<never>;
    return {
      ...{ check: call("check"), diff: call("diff"), create: call("create") },
      ...{ update: call("update"), read: call("read"), delete: call("delete") },
    };
  }

  async #call(verb: Verb, { urn, ...asked }: { urn: string }): Promise<unknown> {
    const calls = this.#begins().filter((line) => line.verb === verb && line.urn === urn);
    // Two halves of a replacement have one URN.
    const found = calls.find((line) => isDeepStrictEqual(comparable(line.asked), comparable(asked))) ?? calls[0];
    if (!found && !this.#isGenerated({ verb, asked })) {
      // After a failure it may never have come to this.
      this.#cut ??= `the model makes a call that the engine did not: ${verb} of ${urn}`;
      return new Promise(() => {});
    }
    if (!found) throw this.#differs(`the model makes a call that the engine did not: ${verb} of ${urn}`);
    this.#made.add(found.call);
    const [wanted, had] = [comparable(asked), comparable(found.asked)];
    if (!isDeepStrictEqual(wanted, had)) {
      this.#differs(`${said(found)} differs: the engine asks\n${text(had)}\nthe model\n${text(wanted)}`);
    }
    const end = this.lines.find((line): line is End => line.at === "end" && line.call === found.call);
    if (this.#isGenerated(found)) this.#ended.add(found.call);
    else await new Promise<void>((resolve) => this.#open.set(found.call, resolve));
    if (end?.answered) return end.answered;
    const { id, outputs } = end?.failed ?? {};
    if (id !== undefined) throw new PartialFailure(id, outputs ?? {}, "drawn to fail");
    throw new Error("drawn to fail");
  }

  #begins(): Begin[] {
    return this.lines.filter((line): line is Begin => line.at === "begin" && !this.#made.has(line.call));
  }

  /** The first line that is not played yet. */
  #head(): Line | undefined {
    if (this.#difference) return undefined;
    return this.lines.find(({ at, call }) => (at === "begin" ? !this.#made.has(call) : !this.#ended.has(call)));
  }

  /** Whether a call is made while steps are generated: of the last, the dry run of a step that is skipped. */
  #isGenerated({ verb, asked }: { verb: Verb; asked: Values }): boolean {
    return GENERATED.includes(verb) || (asked.isPreview === true && !this.isPreview);
  }

  #offers({ kind, urn, steps }: Option & { urn?: string; steps?: readonly Step[] }, line: Begin) {
    const { verb, urn: wanted } = line;
    if (kind === "begin") {
      const step = this.#firstCall(steps);
      return step !== undefined && resourceOf(step).urn === wanted && verbOf(step) === verb;
    }
    return kind !== "await" && urn === wanted && (this.#isGenerated(line) || (kind === "register" && verb === "read"));
  }

  #isHalf(steps: readonly Step[] = []): boolean {
    const [first] = steps;
    const next = this.#firstCall(steps);
    if (!first || !next || first === next) return false;
    return !this.#begins().some((line) => line.verb === verbOf(next) && line.urn === resourceOf(next).urn);
  }

  #isSoon(urn: string): boolean {
    if (!this.#quiet.includes(urn)) this.#quiet.push(urn);
    return ((this.unseen.steps >> (this.#quiet.indexOf(urn) % 3)) & 1) === 1;
  }

  #firstCall(steps: readonly Step[] = []): Step | undefined {
    return steps.find((step) => !isQuiet(step, this.isPreview));
  }

  #differs(message: string): Difference {
    this.#difference ??= new Difference(message);
    return this.#difference;
  }
}

function said({ verb, urn }: Begin): string {
  return `${verb} of ${urn.split("::").at(-1)}`;
}

function shown({ kind, urn = "", steps = [] }: Option & { urn?: string; steps?: readonly Step[] }): string {
  return `${kind} ${urn.split("::").at(-1)} ${steps.map(({ op }) => op).join("+")}`;
}

/** A request without what is empty: the protocol does not tell that from what is not there. */
function comparable(asked: object): Values {
  const isEmpty = (value: unknown) =>
    value === undefined ||
    value === false ||
    value === "" ||
    (typeof value === "object" && Object.keys(value ?? {}).length === 0);
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => !isEmpty(value)));
}

function text(values: Values): string {
  return JSON.stringify(Object.fromEntries(Object.entries(values).sort()));
}
