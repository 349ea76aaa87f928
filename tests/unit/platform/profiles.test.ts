import { expect, it, test } from "vitest";
import { connectionsOf } from "../../../emulator/model/compute-size";
import { platforms } from "../../../emulator/settings/platforms";
import { computeSizesOf } from "../../../provider/endpoint/rules/compute-size";
import { checkSize, type SizeInputs } from "../../../provider/endpoint/rules/size";
import type { ProfileName } from "../../../provider/platform/profiles/profile";
import {
  limitsOf,
  type Plan,
  platformIn,
  platformMessage,
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

// A single plan's limits are recorded in tests/unit/endpoint/rules; of several possible plans, the most generous
// counts.
const most = {
  specification: { largestCu: 7, autoscalingMaxCu: 7, suspend: { never: true, leastSeconds: 1 } },
  neon: { largestCu: 56, autoscalingMaxCu: 16, suspend: { never: true, leastSeconds: 60 } },
};
test.each<[ProfileName, "paid" | undefined, string]>([
  ["specification", undefined, "the platform"],
  ["specification", "paid", "the paid plan"],
  ["neon", undefined, "Neon"],
  ["neon", "paid", "Neon"],
])("the limits of %s where the plan is %s are those of %s", (name, plan, owner) => {
  expect(limitsOf(profiles[name], plan)).toMatchObject({ owner, ...most[name] });
  expect(limitsOf(profiles[name], plan)).not.toHaveProperty("readReplicas");
});

test.each<[ProfileName, Plan | undefined, string | undefined]>([
  ["neon", "free", "paid"],
  ["neon", "launch", "scale"],
  ["neon", "scale", undefined],
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

it("is read back from what a preview says of it", () => {
  for (const profile of Object.values(profiles)) expect(platformIn(platformMessage(profile))).toBe(profile);
  expect(platformIn("platform: other")).toBeUndefined();
});
