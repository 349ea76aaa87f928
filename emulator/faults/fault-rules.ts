import { Random } from "../lib/random";
import type {
  CallEffect,
  CallFault,
  Fault,
  FaultFrequency,
  FaultStatus,
  OperationEffect,
  OperationFault,
} from "./fault";

/** The data of a call to match rules against. */
export interface CallFacts {
  method: string;
  route: string;
  path: string;
}

/** The data of an operation to match rules against. */
export interface OperationFacts {
  action: string;
  branchId: string;
  endpointId: string | undefined;
}

/** The active fault rules, oldest first. They have a random source of their own, which leaves ids unaffected. */
export class FaultRules {
  #rules = new Map<string, FaultStatus>();
  #random: Random;
  #added = 0;
  #spared = false;
  readonly #seed: number;
  /** The names of all calls for rules; the API adds its own. */
  readonly routes = new Set(["unknown"]);

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new Random(seed);
  }

  /** Adds a rule and returns its id. */
  add(fault: Fault): string {
    const id = `fault-${++this.#added}`;
    this.#rules.set(id, { id, matched: 0, struck: 0, fault });
    return id;
  }

  /** True if a rule's route matches a known call. */
  knowsRoute(pattern: string): boolean {
    return [...this.routes].some((route) => matchesRoute(pattern, route));
  }

  list(): FaultStatus[] {
    return [...this.#rules.values()].map(({ id, matched, struck, fault }) => ({ id, matched, struck, fault }));
  }

  /** Removes a rule; false for an unknown id. */
  remove(id: string): boolean {
    return this.#rules.delete(id);
  }

  clear(): void {
    this.#rules.clear();
  }

  /** Removes every rule and restarts the random source. */
  reset(): void {
    this.#rules.clear();
    this.#added = 0;
    this.#random = new Random(this.#seed);
  }

  /** The effects of all rules that strike this call, oldest first. */
  strikeCall(facts: CallFacts): CallEffect[] {
    const effects: CallEffect[] = [];
    for (const rule of this.#rules.values()) {
      if (rule.fault.on !== "operation" && matchesCall(rule.fault, facts) && this.#strikes(rule)) {
        effects.push(rule.fault.effect);
      }
    }
    return effects;
  }

  /** Runs work of the emulator itself, which no rule strikes or counts. */
  spare<T>(work: () => T): T {
    this.#spared = true;
    try {
      return work();
    } finally {
      this.#spared = false;
    }
  }

  /** The effect of the first rule that strikes the operation. */
  strikeOperation(facts: OperationFacts): OperationEffect | undefined {
    if (this.#spared) return undefined;
    for (const rule of this.#rules.values()) {
      if (rule.fault.on === "operation" && matchesOperation(rule.fault, facts) && this.#strikes(rule)) {
        return rule.fault.effect;
      }
    }
    return undefined;
  }

  #strikes(rule: FaultStatus): boolean {
    const { skip = 0, count = Number.POSITIVE_INFINITY, probability = 1 }: FaultFrequency = rule.fault;
    rule.matched += 1;
    if (rule.matched <= skip || rule.struck >= count) return false;
    if (probability < 1 && this.#random.next() >= probability) return false;
    rule.struck += 1;
    return true;
  }
}

function matchesCall(fault: CallFault, facts: CallFacts): boolean {
  return (
    (fault.method === undefined || fault.method.toUpperCase() === facts.method) &&
    (fault.route === undefined || matchesRoute(fault.route, facts.route)) &&
    (fault.path === undefined || matchesGlob(fault.path, facts.path))
  );
}

function matchesRoute(pattern: string, route: string): boolean {
  return pattern.endsWith("*") ? route.startsWith(pattern.slice(0, -1)) : pattern === route;
}

function matchesOperation(fault: OperationFault, facts: OperationFacts): boolean {
  return (
    (fault.action === undefined || fault.action === facts.action) &&
    (fault.endpointId === undefined || fault.endpointId === facts.endpointId) &&
    (fault.branchId === undefined || fault.branchId === facts.branchId)
  );
}

// Matches a pattern where an asterisk stands for any text. Each part's first place is the right one, so there is no
// backtracking, and no pattern can be slow.
function matchesGlob(pattern: string, text: string): boolean {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let from = first.length;

  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
