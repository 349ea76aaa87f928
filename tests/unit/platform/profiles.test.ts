import { describe, expect, it, test } from "vitest";
import { connectionsOf } from "../../../emulator/model/compute-size";
import { platforms } from "../../../emulator/settings/platforms";
import { checkAutosuspend } from "../../../provider/endpoint/rules/autosuspend";
import { checkPlanType } from "../../../provider/endpoint/rules/branch";
import { computeSizesOf } from "../../../provider/endpoint/rules/compute-size";
import { checkSize, type SizeInputs } from "../../../provider/endpoint/rules/size";
import type { Failure } from "../../../provider/lib/failure";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { DEFAULT_BASE_URL } from "../../../provider/platform/http/base-url";
import type { ProfileName } from "../../../provider/platform/profiles/profile";
import {
  limitsOf,
  type Plan,
  platformIn,
  platformMessage,
  profileOf,
  profiles,
} from "../../../provider/platform/profiles/profiles";

const { neon } = profiles;
const range = (min: number, max: number) => ({ autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });

// The published tables; what the published formula makes of ranges, the emulator's own data are held against below.
test.each([
  ["specification", "0.25:112 0.5:225 1:450 2:901 3:1351 4:1802 5:2253 6:2703 7:3154"],
  ["neon", "0.25:104 0.5:209 1:419 2:839 3:1258 4:1678 5:2098 6:2517 7:2937 8:3357"],
] as const)("max_connections of the sizes of %s", (name, published) => {
  const whole = Array.from({ length: 8 }, (_, index) => index + 9);
  const even = Array.from({ length: 20 }, (_, index) => 2 * index + 18);
  const more = name === "neon" ? [...whole, ...even].map((cu) => `${cu}:4000`) : [];
  const sizes = computeSizesOf(profiles[name]).map(({ cu, maxConnections }) => `${cu}:${maxConnections}`);
  expect(sizes).toEqual([...published.split(" "), ...more]);
});

// Each has data of its own, so that a mistake of one does not hide in the other.
test.each(Object.values(profiles))(
  "the emulator gives the sizes of $name what the provider says of them",
  (profile) => {
    const { settings } = platforms[profile.name];
    const sizes = computeSizesOf(profile).map(({ cu }) => cu);
    expect(settings.maxCu).toBe(sizes.at(-1));
    for (const min of sizes) {
      for (const max of sizes.filter((cu) => cu >= min)) {
        const size = { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max };
        expect({ min, max, at: connectionsOf(settings, size) }).toEqual({
          min,
          max,
          at: profile.maxConnections(min, max),
        });
      }
    }
  },
);

/** Whether a plan takes what is asked for, and in whose name it refuses. */
type Row = [
  asked: string,
  of: (limits: ReturnType<typeof limitsOf>) => Failure[],
  expected: Record<string, RegExp | "yes">,
];

const size = (inputs: SizeInputs) => (limits: ReturnType<typeof limitsOf>) => checkSize(inputs, limits);
const delay = (seconds: number) => (limits: ReturnType<typeof limitsOf>) => checkAutosuspend(seconds, limits);
const replica = (limits: ReturnType<typeof limitsOf>) => checkPlanType("read_only", limits);

describe.each<[ProfileName, Row[]]>([
  [
    "specification",
    [
      ["0.25 CU", size({ sizeCu: 0.25 }), { free: "yes", paid: "yes", none: "yes" }],
      ["what is not known yet", size({ sizeCu: UNKNOWN }), { free: "yes", paid: "yes", none: "yes" }],
      ["7 CU", size({ sizeCu: 7 }), { free: /size of the free plan, 0\.25 CU/, paid: "yes", none: "yes" }],
      ["16 CU", size({ sizeCu: 16 }), { free: /free plan/, paid: /7 CU/, none: /largest compute size, 7 CU/ }],
      ["0.25 to 2 CU", size(range(0.25, 2)), { free: /0\.25 CU/, paid: "yes", none: "yes" }],
      ["1 s", delay(1), { free: "yes", paid: "yes", none: "yes" }],
      ["a replica", replica, { free: /^the free plan has no read-only endpoints/, paid: "yes", none: "yes" }],
    ],
  ],
  [
    "neon",
    [
      ["2 CU", size({ sizeCu: 2 }), { free: "yes", launch: "yes", scale: "yes", paid: "yes", none: "yes" }],
      [
        "3 CU",
        size({ sizeCu: 3 }),
        { free: /of Neon's free plan, 2 CU: use 2/, launch: "yes", paid: "yes", none: "yes" },
      ],
      ["16 CU", size({ sizeCu: 16 }), { free: /2 CU/, launch: "yes", scale: "yes", paid: "yes", none: "yes" }],
      ["56 CU", size({ sizeCu: 56 }), { launch: /Neon's launch plan, 16 CU/, scale: "yes", paid: "yes", none: "yes" }],
      [
        "58 CU",
        size({ sizeCu: 58 }),
        { scale: /scale plan, 56 CU/, paid: /size of Neon, 56 CU/, none: /of Neon, 56 CU/ },
      ],
      ["17 CU", size({ sizeCu: 17 }), { scale: /nearest are 16 and 18 CU/, none: /nearest are 16 and 18 CU/ }],
      ["8 to 16 CU", size(range(8, 16)), { launch: "yes", scale: "yes", none: "yes", free: /8 CU is above/ }],
      [
        "12 to 18 CU",
        size(range(12, 18)),
        { scale: /autoscaling of Neon's scale plan goes to 16 CU/, none: /of Neon goes/ },
      ],
      ["1 to 10 CU", size(range(1, 10)), { launch: /Neon allows 8/, scale: /Neon allows 8/, none: /Neon allows 8/ }],
      [
        "1 s",
        delay(1),
        { free: /Neon's free plan suspends after 300 s, fixed: leave it out/, none: /shortest delay of Neon, 60/ },
      ],
      [
        "600 s",
        delay(600),
        { free: /fixed/, launch: /launch plan suspends after 300 s or never/, scale: "yes", paid: "yes", none: "yes" },
      ],
      ["300 s", delay(300), { free: "yes", launch: "yes", scale: "yes", none: "yes" }],
      ["the default", delay(0), { free: "yes", launch: "yes", scale: "yes", none: "yes" }],
      ["never", delay(-1), { free: /fixed/, launch: "yes", scale: "yes", none: "yes" }],
      ["a week and more", delay(604_801), { free: /300 s, fixed/, scale: /use 604800 or less, or -1/ }],
      ["a replica", replica, { free: "yes", launch: "yes", none: "yes" }],
    ],
  ],
])("the plans of %s", (name, rows) => {
  test.each(rows)("%s", (_, failuresOf, expected) => {
    for (const [plan, verdict] of Object.entries(expected)) {
      const failures = failuresOf(limitsOf(profiles[name], plan === "none" ? undefined : (plan as Plan)));
      if (verdict === "yes") expect({ plan, failures }).toEqual({ plan, failures: [] });
      else expect(failures[0]?.reason).toMatch(verdict);
    }
  });
});

test.each<[ProfileName, Plan | undefined, string | undefined]>([
  ["neon", "free", "paid"],
  ["neon", "launch", "scale"],
  ["neon", "scale", undefined],
  ["neon", "paid", undefined],
  ["neon", undefined, undefined],
  ["specification", "free", "paid"],
  ["specification", "paid", undefined],
])("more than %s's %s has: %s", (name, plan, more) => {
  expect(limitsOf(profiles[name], plan).morePlan).toBe(more);
});

it("lets a configured largest size outrank what the platform says", () => {
  const checked = (inputs: SizeInputs, maxSizeCu: number) => checkSize(inputs, limitsOf(neon, "free", maxSizeCu));
  expect(checked({ sizeCu: 4 }, 4)).toEqual([]);
  expect(checked(range(1, 4), 4)).toEqual([]);
  expect(checked({ sizeCu: 2 }, 1)[0]?.reason).toMatch(/above the largest/);
  expect(checked(range(12, 18), 64)[0]?.reason).toMatch(/goes to 16 CU/);
});

test.each<[ProfileName | undefined, string | undefined, ProfileName]>([
  [undefined, undefined, "neon"],
  [undefined, DEFAULT_BASE_URL, "neon"],
  [undefined, "http://127.0.0.1:4010/api/v2", "specification"],
  [undefined, "https://proxy.example/api/v2", "specification"],
  ["neon", "https://proxy.example/api/v2", "neon"],
  ["specification", DEFAULT_BASE_URL, "specification"],
])("where %s is configured, %s is the address of %s", (platform, address, expected) => {
  expect(profileOf(platform, address === undefined ? undefined : new URL(address)).name).toBe(expected);
});

it("is read back from what a preview says of it", () => {
  for (const profile of Object.values(profiles)) expect(platformIn(platformMessage(profile))).toBe(profile);
  expect(platformIn("platform: other")).toBeUndefined();
});
