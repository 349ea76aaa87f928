/** Creates of replicas whose answers are lost: what may happen around them, drawn at random, and what came to a wrong end once. */
import type { CallEffect, LockMode } from "../../../emulator";
import { fc } from "../../support/random";

/** Replicas that are created side by side, what becomes of each request in turn, and what disturbs. */
export interface Story {
  replicas: { sizeCu?: number | undefined; poolerEnabled?: boolean | undefined }[];
  answers: (CallEffect | undefined)[];
  lagMs: number | undefined;
  /** What an open operation refuses, and for how long each is open. */
  lock: LockMode;
  operationMs: number;
  /** Looks at the branch that are refused, since something is under way there. */
  refusedLooks: number;
  /** Somebody else's replica: older than the run's, or not alike. */
  stranger: "older" | "other" | undefined;
  /** When somebody else creates one of the default size, in milliseconds after the first create of the run. */
  besideMs: readonly number[];
  /** When somebody deletes the branch's first endpoint. */
  deletedMs: number | undefined;
  /** How wrong the machine's clock is. */
  aheadMs: number;
  keepsNames: boolean;
  parallel: number;
}

const maybe = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

export const stories: fc.Arbitrary<Story> = fc.record({
  replicas: fc.array(fc.record({ sizeCu: maybe(0.25, 1, 2), poolerEnabled: maybe(true) }), {
    minLength: 1,
    maxLength: 6,
  }),
  answers: fc.array(
    fc.constantFrom<CallEffect | undefined>(
      undefined,
      { kind: "reset", when: "after" },
      { kind: "reset", when: "before" },
      { kind: "status", status: 503, when: "after" },
      { kind: "status", status: 500, when: "before" },
      { kind: "status", status: 500, when: "before", retryAfter: { form: "seconds", seconds: 60 } },
      { kind: "status", status: 429, retryAfter: { form: "seconds", seconds: 3 } },
    ),
    { maxLength: 12 },
  ),
  lagMs: maybe(500, 3_000),
  lock: fc.constantFrom<LockMode>("endpoint", "project", "none"),
  operationMs: fc.constantFrom(1_000, 20_000),
  refusedLooks: fc.constantFrom(0, 0, 0, 8),
  stranger: maybe("older" as const, "other" as const),
  besideMs: fc.oneof(fc.constant([]), fc.array(fc.constantFrom(0, 300, 2_000, 8_000, 30_000), { maxLength: 3 })),
  deletedMs: maybe(500, 6_000),
  aheadMs: fc.constantFrom(0, 18_000_000, -18_000_000),
  keepsNames: fc.boolean(),
  parallel: fc.constantFrom(1, 2, 6),
});

const plain: Omit<Story, "replicas" | "answers" | "stranger" | "parallel"> = {
  lagMs: undefined,
  lock: "endpoint",
  operationMs: 1_000,
  refusedLooks: 0,
  besideMs: [],
  deletedMs: undefined,
  aheadMs: 0,
  keepsNames: false,
};

/** What came to a wrong end once, cut down. */
export const fixed: Story[] = [
  // The second replica is on its way before the stranger's first second is over.
  ...[
    { stranger: "older" as const, second: { sizeCu: 0.25 } },
    { stranger: "other" as const, second: {} },
  ].map(({ stranger, second }) => ({
    ...plain,
    replicas: [{ sizeCu: 1 }, second],
    answers: [{ kind: "reset" as const, when: "before" as const }],
    stranger,
    parallel: 2,
  })),
  // The list shows a stranger's already, and not yet what the second request has made.
  {
    ...plain,
    replicas: [{}],
    answers: [
      { kind: "status", status: 500, when: "before", retryAfter: { form: "seconds", seconds: 60 } },
      { kind: "reset", when: "after" },
      { kind: "status", status: 429, retryAfter: { form: "seconds", seconds: 3 } },
    ],
    lagMs: 500,
    besideMs: [8_000],
    deletedMs: 500,
    stranger: undefined,
    parallel: 1,
  },
  // A stranger's of the second before fits, the list does not show yet what the attempt has made, and nothing tells yet that names are kept.
  {
    ...plain,
    replicas: [{ sizeCu: 0.25 }],
    answers: [
      { kind: "status", status: 429, retryAfter: { form: "seconds", seconds: 3 } },
      { kind: "reset", when: "after" },
    ],
    lagMs: 500,
    besideMs: [2_000],
    keepsNames: true,
    stranger: undefined,
    parallel: 1,
  },
  // A stranger's fits the first attempt, and the list does not show yet what the second has made.
  {
    ...plain,
    replicas: [{}],
    answers: [
      { kind: "status", status: 500, when: "before", retryAfter: { form: "seconds", seconds: 60 } },
      { kind: "status", status: 503, when: "after" },
    ],
    lagMs: 500,
    besideMs: [5_500],
    stranger: undefined,
    parallel: 1,
  },
];
