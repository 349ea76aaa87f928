import { describe, expect, it } from "vitest";
import { failureRedactor, redactText, secretsOfOutputs, valueRedactor } from "../../../provider/pulumi/secrets";

describe("secrets of a state", () => {
  it.each([
    [["sizeCu"], ["maxConnections", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"]],
    [["autoscalingLimitMinCu"], ["maxConnections", "sizeCu"]],
    [["autoscalingLimitMaxCu"], ["sizeCu"]],
  ])("are what %s gives away as well", (path, followers) => {
    const names = secretsOfOutputs({ values: {}, secrets: [path] }).map(([first]) => first);
    expect(names).toEqual(expect.arrayContaining([...path, ...followers]));
  });

  it("are a Postgres setting in the bookkeeping too, where that has another spelling of the settings", () => {
    const within = secretsOfOutputs({ values: {}, secrets: [["pgSettings", "app.token"]] });
    expect(within).toEqual([
      ["pgSettings", "app.token"],
      ["__pgcompute", "spelled", "app.token"],
    ]);
  });

  it("are all that were secret, whatever the program says now, and no others for it", () => {
    const olds = { secrets: [["autoscalingLimitMinCu"], ["sizeCu"], ["maxConnections"]] };
    const inputs = { values: { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 }, secrets: [["branchId"]] };
    expect(secretsOfOutputs(inputs, olds)).toEqual([["branchId"], ...olds.secrets]);
  });
});

it.each([
  ["a secret text", { a: "hush-hush" }, [["a"]], "is hush-hush", "is [secret]"],
  ["a secret that holds another", { a: "abcd", b: "abcdefgh" }, [["a"], ["b"]], "abcdefgh", "[secret]"],
  ["no text too short to hide", { a: "on" }, [["a"]], "only on", "only on"],
  ["one as JSON writes it", { a: 'say "hush"' }, [["a"]], JSON.stringify({ x: 'say "hush"' }), '{"x":"[secret]"}'],
  ["one whose line breaks were cleaned", { a: "first\nsecond" }, [["a"]], "is first second", "is [secret]"],
  ["no figure: what names a secret property has none", { a: 4 }, [["a"]], "after 4 failures", "after 4 failures"],
  ["nothing for a place that is not there", {}, [["a", "b"]], "text", "text"],
])("a text for people hides %s", (_what, values, secrets, text, shown) => {
  expect(redactText(text, { values, secrets })).toBe(shown);
});

const HIDDEN = "the value is not accepted; the program keeps it secret, so it is not shown, nor what is wrong with it";

it.each([
  ["sizeCu", [["sizeCu"]], true],
  ["of what is said of the other size", [["autoscalingLimitMinCu"]], true, "autoscalingLimitMaxCu"],
  ["of a setting in a secret map", [["pgSettings"]], true, "pgSettings.app.token"],
  ["of a secret setting", [["pgSettings", "app.token"]], true, "pgSettings.app.token"],
  ["but not of the setting beside it", [["pgSettings", "app.token"]], false, "pgSettings.work_mem"],
  ["nor of what begins alike", [["type"]], false, "typewriter"],
  ["of an option of a member", [["endpoints", "a", "protect"]], true, 'endpoints["a"].protect'],
  ["of a member that is secret as a whole", [["endpoints", "a"]], true, 'endpoints["a"].protect'],
] as const)(
  "a rule's failure says nothing of a secret value: %s",
  (what, secrets, isHidden, property: string = what) => {
    const failure = { property, reason: "7 is none", advice: { kind: "raise_max_size", value: 7 } } as const;
    expect(valueRedactor(secrets)(failure)).toEqual(isHidden ? { property, reason: HIDDEN } : failure);
  },
);

describe("a failure of a check", () => {
  const given = {
    values: {
      sizeCu: 9,
      branchId: "br-hush",
      projectId: "napi_0123456789",
      note: "plain",
      pgSettings: { work_mem: "8MB" },
    },
  };

  it.each([
    ["is blamed on its property", "note", "is wrong", [], { property: "note", reason: "is wrong" }],
    ["is not blamed on a secret", "branchId", "br-hush is none", [["branchId"]], "branchId: [secret] is none"],
    [
      "is not blamed on what follows from a secret",
      "autoscalingLimitMaxCu",
      "none",
      [["sizeCu"]],
      "autoscalingLimitMaxCu: none",
    ],
    ["is not blamed on a value that is not there", "type", "is required", [], "type: is required"],
    ["is not blamed on a whole map", "pgSettings", "is wrong", [], "pgSettings: is wrong"],
    ["is not blamed on a part of a map", "pgSettings.work_mem", "is wrong", [], "pgSettings.work_mem: is wrong"],
    ["is not blamed on a key", "projectId", "napi_0123456789 is none", [], "projectId: [API key] is none"],
  ])("%s", (_what, property, reason, secrets, shown) => {
    const expected = typeof shown === "string" ? { property: "", reason: shown } : shown;
    expect(failureRedactor({ ...given, secrets })({ property, reason })).toEqual(expected);
  });
});
