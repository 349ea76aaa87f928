import { describe, expect, it } from "vitest";
import { readable, secretsOfState } from "../../../../provider/pulumi/secrets";

describe("secrets of a state", () => {
  it.each([
    [["sizeCu"], ["maxConnections", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"]],
    [["autoscalingLimitMinCu"], ["maxConnections", "sizeCu"]],
    [["autoscalingLimitMaxCu"], ["sizeCu"]],
  ])("are what %s gives away as well", (path, followers) => {
    const names = secretsOfState([path]).map(([first]) => first);
    expect(names).toEqual(expect.arrayContaining([...path, ...followers]));
  });

  it("are no more than the input where nothing follows from it", () => {
    expect(secretsOfState([["pgSettings", "work_mem"]])).toEqual([["pgSettings", "work_mem"]]);
  });
});

describe("a text for people", () => {
  it.each([
    ["a secret text", { a: "hush-hush" }, [["a"]], "is hush-hush", "is [secret]"],
    [
      "every text inside a secret",
      { a: { b: ["first one", "second one"] } },
      [["a"]],
      "first one, second one",
      "[secret], [secret]",
    ],
    ["a secret that holds another", { a: "abcd", b: "abcdefgh" }, [["a"], ["b"]], "abcdefgh", "[secret]"],
    ["nothing that is not secret", { a: "hush-hush" }, [], "is hush-hush", "is hush-hush"],
    ["no text too short to hide", { a: "on" }, [["a"]], "only on", "only on"],
    ["nothing for a place that is not there", {}, [["a", "b"]], "text", "text"],
  ])("hides %s", (_what, values, secrets, text, shown) => {
    expect(readable(text, { values, secrets })).toBe(shown);
  });
});
