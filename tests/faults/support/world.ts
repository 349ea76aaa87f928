/** What is drawn for random histories: programs, what somebody else does, faults, and deaths of a run. */
import type { CallEffect, Fault, OperationEffect } from "../../../emulator";
import type { Death } from "../../support/mortal-api";
import { fc } from "../../support/random";

/** Branches that programs speak of. */
export const BRANCHES = 3;

const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

/** A resource of a generated program: an index of a branch, and inputs that may be left out. */
const declared = fc.record({
  branch: fc.nat({ max: BRANCHES - 1 }),
  type: fc.constantFrom("read_write" as const, "read_write" as const, "read_only" as const),
  sizeCu: maybe([0.5, 1, 2]),
  suspendTimeoutSeconds: maybe([60, 600]),
  poolerEnabled: maybe([true]),
  restartTrigger: maybe(["one", "two"]),
});

const program = fc.dictionary(fc.constantFrom("a", "b", "c"), declared, { maxKeys: 3 });

const route = fc.constantFrom(
  "*",
  "endpoints.create",
  "endpoints.update",
  "endpoints.delete",
  "endpoints.*",
  "operations.*",
);

/** Faults of calls: cut before or after the work, refused, or without a usable answer. */
export const outages: readonly CallEffect[] = [
  { kind: "reset", when: "before" },
  { kind: "reset", when: "after" },
  { kind: "truncate-body" },
  { kind: "html", when: "after" },
  { kind: "status", status: 423 },
  { kind: "status", status: 429, retryAfter: { form: "seconds", seconds: 1 } },
  { kind: "status", status: 500, when: "before" },
  { kind: "status", status: 500, when: "after" },
  { kind: "status", status: 503, when: "before" },
  { kind: "status", status: 503, when: "after" },
  { kind: "status", status: 504, when: "after" },
];

const callEffect = fc.constantFrom<CallEffect>(
  ...outages,
  { kind: "status", status: 401 },
  { kind: "json" },
  { kind: "redirect", location: "http://203.0.113.9/" },
);

const operationEffect = fc.constantFrom<OperationEffect>(
  { kind: "fail" },
  { kind: "fail-then-finish" },
  { kind: "vanish" },
  { kind: "backwards" },
  { kind: "slow", operationMs: 700_000 },
);

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    route,
    effect: callEffect,
    skip: fc.nat({ max: 4 }),
    count: fc.constantFrom(1, 2, 50),
  }),
  fc.record({
    on: fc.constant("operation" as const),
    effect: operationEffect,
    skip: fc.nat({ max: 1 }),
    count: fc.constantFrom(1, 9),
  }),
);

const death: fc.Arbitrary<Death> = fc.record({
  call: fc.integer({ min: 1, max: 14 }),
  moment: fc.constantFrom("before" as const, "after" as const),
});

const up = fc.record({
  kind: fc.constant("up" as const),
  program,
  fault: fc.option(fault, { nil: undefined }),
  death: fc.option(death, { nil: undefined, freq: 2 }),
  interruptAt: fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined, freq: 2 }),
});

const others = fc.oneof(
  fc.record({ kind: fc.constant("drop" as const), which: fc.nat({ max: 5 }) }),
  fc.record({ kind: fc.constant("resize" as const), which: fc.nat({ max: 5 }) }),
  fc.record({ kind: fc.constant("stranger" as const), branch: fc.nat({ max: BRANCHES - 1 }) }),
  fc.constant({ kind: "strangers leave" as const }),
);

/** Histories: runs of programs, now and then with a fault or a death, and what others do meanwhile. */
export const histories = fc.array(fc.oneof({ weight: 3, arbitrary: up }, { weight: 1, arbitrary: others }), {
  minLength: 1,
  maxLength: 7,
});

type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

/** What a program says of an endpoint. */
export type Declared = Partial<Drawn<typeof declared>> &
  Pick<Drawn<typeof declared>, "branch" | "type"> & { adoptExisting?: boolean };

type Up = Drawn<typeof up>;

/** One thing that happens in a history. */
export type Event =
  | (Pick<Up, "kind"> & Partial<Omit<Up, "kind" | "program">> & { program: Readonly<Record<string, Declared>> })
  | Drawn<typeof others>;
