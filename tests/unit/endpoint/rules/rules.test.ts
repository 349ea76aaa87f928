/**
 * Tests an endpoint's pure rules (specification, sections 1, 2.4, 3.3, 3.4 and 8): each call and its result, recorded
 * in rules.txt.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  checkAutosuspend,
  effectiveSuspendSeconds,
  isFixedDelay,
  isLeftOut,
  neverSuspends,
} from "../../../../provider/endpoint/rules/autosuspend";
import { checkBranchId, checkId, checkPlanType, checkProjectId } from "../../../../provider/endpoint/rules/branch";
import { computeSizesOf, getComputeSize } from "../../../../provider/endpoint/rules/compute-size";
import { checkName } from "../../../../provider/endpoint/rules/name";
import { checkSettingNames, platformSettingWarnings } from "../../../../provider/endpoint/rules/pg-settings";
import { checkSize, isSizeStep, type SizeInputs, sizeRange } from "../../../../provider/endpoint/rules/size";
import type { Failure } from "../../../../provider/lib/failure";
import { isRecord, type Maybe, UNKNOWN } from "../../../../provider/lib/unknown";
import { limitsOf, neon, type Plan, specification } from "../../../../provider/platform/profiles/profiles";
import { fc } from "../../../support/random";

const LONGEST = "a".repeat(60);
const MARK = "pulumi-main-0123456789ab-00000000";
const BRANCH = `br-${"a".repeat(57)}`;
const [MIN, MAX] = ["autoscalingLimitMinCu", "autoscalingLimitMaxCu"] as const;
const outside = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
const larger = limitsOf(specification, undefined, 56);

const between = (min?: Maybe<number>, max?: Maybe<number>, sizeCu?: Maybe<number>): SizeInputs => ({
  ...(sizeCu !== undefined && { sizeCu }),
  ...(min !== undefined && { [MIN]: min }),
  ...(max !== undefined && { [MAX]: max }),
});
const fixed = (cu: number) => ({ minCu: cu, maxCu: cu });

const steps: Maybe<number>[] = [0.25, 1, 7, UNKNOWN, 9, 7.5, 0.3, 6.999];

/**
 * All kinds of size inputs; a wrong order of the limits is a failure of its own only if no valid size would correct it.
 */
const sizes: SizeInputs[] = [
  {},
  ...[...steps, 0.24, 0, -1, ...outside].map((sizeCu): SizeInputs => ({ sizeCu })),
  ...[between(0.25, 7), between(2, 2), between(1, UNKNOWN), between(UNKNOWN, 2), between(UNKNOWN, UNKNOWN)],
  ...[between(4, 2), between(0.3, 9), between(9, 7), between(9, 0.25), between(0.4, 0.3), between(1, 0.1)],
  between(1, Number.NEGATIVE_INFINITY),
  ...[between(1), between(undefined, 1), between(UNKNOWN), between(1.5), between(undefined, UNKNOWN)],
  ...[between(1, undefined, 1), between(undefined, 2, 1)],
  ...[between(UNKNOWN, UNKNOWN, UNKNOWN), between(1, 2, 1), between(4, 2, 1)],
];

/** Of a larger platform, where steps are 2 CU from 16 on, autoscaling ends at 16 CU, and a range has a spread of 8. */
const large: SizeInputs[] = [
  ...[8, 16, 16.5, 17, 18, 55, 56, 57, 58].map((sizeCu) => ({ sizeCu })),
  ...[between(8, 16), between(18, 18), between(2, 10), between(12, 18), between(1, 10), between(1, 17)],
];

/** Above a limit that can be raised: what is left then is said at once. */
const above: SizeInputs[] = [
  between(0.25, 8),
  between(1, 16),
  between(4, 12),
  between(8, 16),
  between(8, 18),
  between(0.3, 16),
  between(9, 8),
];

/** What the engine has put back for `ignoreChanges` is no mistake of the program's; all else is. */
const putBack: [SizeInputs, string[]][] = [
  [{ sizeCu: 1, ...between(1, 4) }, [MIN, MAX]],
  [{ sizeCu: 1, [MIN]: 1 }, [MIN]],
  [{ [MIN]: 1 }, [MIN]],
  [between(4, 2), [MIN]],
  [{ sizeCu: 9 }, ["sizeCu"]],
  [between(4, 9), [MIN]],
  [between(2, 9), [MAX]],
  [between(1, 7), [MIN]],
  [between(2, 9), [MIN, MAX]],
  [between(1.5, 4), [MIN, MAX]],
  [between(4, 2), ["sizeCu", "branchId"]],
];

const delays: Maybe<number>[] = [undefined, UNKNOWN, -1, 0, 1, 604_800, 604_801, -2, 1.5, ...outside];
const plans: [typeof neon, Plan][] = [
  [specification, "free"],
  [neon, "free"],
  [neon, "launch"],
  [neon, "scale"],
];
const ids: Maybe<string>[] = [
  undefined,
  UNKNOWN,
  LONGEST,
  `${LONGEST}a`,
  "",
  "EP-A",
  "../x",
  "a\n",
  "\u001b[31mx",
  "A".repeat(60),
];
const branches: Maybe<string>[] = [undefined, UNKNOWN, BRANCH, `${BRANCH}a`, "main", "BR-a", "", "br-", "br-a "];
const names: Maybe<string>[] = [UNKNOWN, "a", "a".repeat(64), "a".repeat(65), "", " a", "a\nb", MARK];
const twice = [
  { work_mem: "1", Work_Mem: "2" },
  { Work_Mem: "1", work_mem: "2" },
  { work_mem: "1", x: "2" },
  UNKNOWN,
] as const;
const settings = { shared_buffers: "777MB", work_mem: "4MB", MAX_Connections: "500", max_connections_x: "1" };
const ranges: Maybe<ReturnType<typeof fixed>>[] = [
  UNKNOWN,
  fixed(0.25),
  { minCu: 0.25, maxCu: 4 },
  { minCu: 1, maxCu: 16 },
  fixed(16),
  fixed(18),
];
const wanted = ["500", "450", 451, "100", "3155", UNKNOWN, "lots", "1e3", -1, 0, 1.5];

const onPlans = <T>(...values: T[]) => plans.flatMap((plan) => values.map((value) => [...plan, value] as const));

/** By the name of the rule, a line for each call. */
const calls = (): Record<string, string[]> => ({
  "checkSize, and sizeRange": each(sizes, (inputs) => [show(checkSize(inputs)), sizeRange(inputs)]),
  "checkSize up to 56 CU": each(large, (inputs) => checkSize(inputs, larger)),
  "checkSize above what is configured": each(above, (inputs) => checkSize(inputs)),
  "checkSize above a plan": each(above, (inputs) => checkSize(inputs, limitsOf(neon, "free"))),
  "checkSize with what is put back": each(putBack, ([inputs, names]) => checkSize(inputs, undefined, new Set(names))),
  "checkSize on a plan": each(onPlans({ sizeCu: 3 }, between(0.25, 18)), ([profile, plan, inputs]) =>
    checkSize(inputs, limitsOf(profile, plan)),
  ),
  checkAutosuspend: each(delays, (delay) => checkAutosuspend(delay)),
  "checkAutosuspend on a plan": each(onPlans(-1, 0, 1, 60, 300, 604_801), ([profile, plan, delay]) =>
    checkAutosuspend(delay, limitsOf(profile, plan)),
  ),
  "effectiveSuspendSeconds, and neverSuspends": each([undefined, 0, 300, 1, 604_800, -1], (delay) => [
    effectiveSuspendSeconds(delay),
    neverSuspends({ suspendTimeoutSeconds: delay }),
  ]),
  "isFixedDelay, and isLeftOut, on a plan that fixes 300 s": each([undefined, UNKNOWN, 0, 300, 60, -1], (delay) =>
    [isFixedDelay, isLeftOut].map((is) => is(delay, { fixedDelaySeconds: 300 })),
  ),
  "checkId, and checkProjectId": each(ids, (id) => [checkId(id, "endpointId"), checkProjectId(id)].map(show)),
  checkBranchId: each(branches, (id) => checkBranchId(id)),
  "checkBranchId of a project": each<Maybe<string>>([UNKNOWN, "My project", "quiet-lake-12345678"], (project) =>
    checkBranchId("main", project),
  ),
  checkName: each(names, (name) => checkName(name)),
  checkSettingNames: each<Maybe<Record<string, unknown>>>(twice, (given) => checkSettingNames(given)),
  checkPlanType: each(onPlans("read_only", "read_write"), ([profile, plan, type]) =>
    checkPlanType(type, limitsOf(profile, plan)),
  ),
  getComputeSize: each([...computeSizesOf(specification).map(({ cu }) => cu), 0, 0.3, 8, ...outside], (cu) =>
    getComputeSize(cu, specification),
  ),
  "getComputeSize of Neon": each([0.25, 0.5, 8, 9, 17, 56, 58], (cu) => getComputeSize(cu, neon)),
  platformSettingWarnings: each<Maybe<Record<string, unknown>>>(
    [undefined, UNKNOWN, {}, { work_mem: "4MB" }, settings],
    (given) => platformSettingWarnings(given),
  ),
  "platformSettingWarnings of sizes": each(ranges, (size) => platformSettingWarnings(settings, size)),
  "platformSettingWarnings of max_connections": each(wanted, (value) =>
    platformSettingWarnings({ max_connections: value }, fixed(1)),
  ),
  "platformSettingWarnings on Neon": each(ranges, (size) => platformSettingWarnings(settings, size, neon)),
});

it("give what is recorded, each failure whole, with no value of a setting and no control character", async () => {
  const lines = Object.entries(calls()).flatMap(([name, rows]) => [name, ...rows.map((row) => `  ${row}`)]);
  expect(lines.map((line) => line.split(" => ")[1]).join()).not.toMatch(/777|\\u00/);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(join(import.meta.dirname, "rules.txt"));
});

function each<T>(given: readonly T[], call: (one: T) => unknown): string[] {
  return given.map((one) => `${json(one)} => ${show(call(one))}`);
}

/** Failures as their texts, and any other value. */
function show(result: unknown): string {
  if (!Array.isArray(result)) return json(result);
  if (!result.every(isRecord)) return result.map(show).join(", ");
  return result.length === 0 ? "well" : (result as unknown as Failure[]).map(showFailure).join("; ");
}

function json(value: unknown): string {
  if (typeof value === "string") return /[^ -~]/.test(value) ? JSON.stringify(value) : value || '""';
  return JSON.stringify(value, told) ?? "undefined";
}

/** What JSON does not have, and a platform by its name. */
function told(_: string, value: unknown): unknown {
  if (value === UNKNOWN) return "unknown";
  const platform = [specification, neon].find((one) => one === value);
  if (platform) return platform.name;
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

function showFailure({ property, reason, ...rest }: Failure): string {
  return `${property}: ${json(reason)}${Object.keys(rest).length > 0 ? ` ${json(rest)}` : ""}`;
}

it("keeps a huge value of an id short", () => {
  expect(checkId("x".repeat(10_000), "endpointId")[0]?.reason.length).toBeLessThan(250);
});

describe("for any input", () => {
  const value = fc.oneof(fc.constantFrom(undefined, UNKNOWN, 0.25, 0.5, 1, 2, 7, 8, 18), fc.double());
  const inputs = fc.record({ sizeCu: value, autoscalingLimitMinCu: value, autoscalingLimitMaxCu: value });

  it("checkSize never throws and never says the same twice", () => {
    const maximum = fc.option(fc.double({ min: 0.25, noNaN: true }), { nil: undefined });
    fc.assert(
      fc.property(inputs, fc.constantFrom(specification, neon), maximum, (given, profile, maxSizeCu) => {
        const failures = checkSize(given, limitsOf(profile, undefined, maxSizeCu));
        expect(new Set(failures.map(showFailure)).size).toBe(failures.length);
      }),
    );
  });

  it("a known range that passes lies on steps, in order, within the limits", () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const range = sizeRange(given);
        if (checkSize(given).length > 0 || range === undefined || range === UNKNOWN) return;
        const { minCu, maxCu } = range;
        expect(isSizeStep(minCu) && isSizeStep(maxCu) && 0.25 <= minCu && minCu <= maxCu && maxCu <= 7).toBe(true);
      }),
    );
  });
});
