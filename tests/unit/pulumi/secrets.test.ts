import { describe, expect, it } from "vitest";
import { failureRedactor, redactText, secretsOfOutputs, stillSecret } from "../../../provider/pulumi/secrets";

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

  it.each([false, true])("are no member's bookkeeping as a whole, where the fleet's was one: %s", (hasFailed) => {
    const endpoints = { a: { branchId: "br-a", endpointId: "ep-a" } };
    const olds = { values: { endpoints }, secrets: [["endpoints", "a", "branchId"], ["__pgcompute"]] };
    const places = stillSecret(olds, { endpoints: { a: { branchId: "br-a" } } }, hasFailed);
    expect(places).not.toContainEqual(["endpoints", "a", "__pgcompute"]);
  });
});

it.each([
  ["a secret text", { a: "hush-hush" }, [["a"]], "is hush-hush", "is [secret]"],
  ["a secret that holds another", { a: "abcd", b: "abcdefgh" }, [["a"], ["b"]], "abcdefgh", "[secret]"],
  ["no text too short to hide", { a: "on" }, [["a"]], "only on", "only on"],
  [
    "what a cut has left of one",
    { a: "hush-".repeat(30) },
    [["a"]],
    `"${"hush-".repeat(30).slice(0, 79)}…" is none`,
    '"[secret]…" is none',
  ],
  ["one as JSON writes it", { a: 'say "hush"' }, [["a"]], JSON.stringify({ x: 'say "hush"' }), '{"x":"[secret]"}'],
  ["one whose line breaks were cleaned", { a: "first\nsecond" }, [["a"]], "is first second", "is [secret]"],
  ["no ordinary text before an ellipsis", { a: "hush-hush" }, [["a"]], "and so on…", "and so on…"],
  [
    "a secret figure of a property that is named",
    { a: 4, b: 1 },
    [["a"]],
    "a was sent as 4, not 14",
    "a was sent as [secret], not 14",
  ],
  ["no figure where the property is not named", { long: 4 }, [["long"]], "after 4 failures", "after 4 failures"],
  ["nothing for a place that is not there", {}, [["a", "b"]], "text", "text"],
])("a text for people hides %s", (_what, values, secrets, text, shown) => {
  expect(redactText(text, { values, secrets })).toBe(shown);
});

describe("a failure of a check", () => {
  it("shows no secret limit, nor how far it is from the other, in what is said of the other", () => {
    const values = { autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 7 };
    const reason = "the maximum, 7 CU, is 6.75 CU above the minimum, 0.25 CU";
    const failure = { property: "autoscalingLimitMaxCu", reason };
    expect(failureRedactor({ values, secrets: [["autoscalingLimitMinCu"]] })(failure)).toEqual({
      property: "",
      reason: "autoscalingLimitMaxCu: the maximum, 7 CU, is [secret] CU above the minimum, [secret] CU",
    });
  });

  it.each([
    [{ autoscalingLimitMaxCu: 16 }, { autoscalingLimitMinCu: 2 }, ["endpoints", "a", "autoscalingLimitMinCu"]],
    [{ autoscalingLimitMinCu: 2 }, { autoscalingLimitMaxCu: 16 }, ["defaults", "autoscalingLimitMinCu"]],
  ])("shows no distance where one limit is that of all members: %j", (defaults, a, secret) => {
    const reason = "the maximum, 16 CU, is 14 CU above the minimum, 2 CU";
    const redact = failureRedactor({ values: { defaults, endpoints: { a } }, secrets: [secret] });
    expect(redact({ property: "defaults.autoscalingLimitMaxCu", reason }).reason).toBe(
      "defaults.autoscalingLimitMaxCu: the maximum, 16 CU, is [secret] CU above the minimum, [secret] CU",
    );
  });

  const given = { values: { sizeCu: 9, branchId: "br-hush", projectId: "napi_0123456789", note: "plain" } };

  it.each([
    ["is blamed on its property", "note", "is wrong", [], { property: "note", reason: "is wrong" }],
    ["is not blamed on a secret", "branchId", "br-hush is none", [["branchId"]], "branchId: [secret] is none"],
    [
      "shows none of what follows from a secret",
      "autoscalingLimitMaxCu",
      "9 CU",
      [["sizeCu"]],
      "autoscalingLimitMaxCu: [secret] CU",
    ],
    [
      "leaves numbers alone where they are no secret",
      "note",
      "9 of them",
      [["sizeCu"]],
      { property: "note", reason: "9 of them" },
    ],
    ["is not blamed on a key", "projectId", "napi_0123456789 is none", [], "projectId: [API key] is none"],
  ])("%s", (_what, property, reason, secrets, shown) => {
    const expected = typeof shown === "string" ? { property: "", reason: shown } : shown;
    expect(failureRedactor({ ...given, secrets })({ property, reason })).toEqual(expected);
  });
});
