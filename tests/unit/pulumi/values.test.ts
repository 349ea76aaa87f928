import { describe, expect, it } from "vitest";
import { hasUnknown, UNKNOWN } from "../../../provider/lib/unknown";
import { decode, encode, type Path } from "../../../provider/pulumi/values";
import { output, secret, unknown } from "../../support/messages";
import { fc } from "../../support/random";

const leaf = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constant<typeof UNKNOWN>(UNKNOWN),
);
const key = fc.string({ minLength: 1, maxLength: 8 }).filter((name) => name !== "__proto__");
const tree = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, leaf, fc.array(tie("value")), tie("record")),
  record: fc.dictionary(key, tie("value")),
})).record;

/** Every place in the values, the root not counted. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  const below = Array.isArray(value)
    ? value.flatMap((one, index) => pathsIn(one, [...path, index]))
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, one]) => pathsIn(one, [...path, name]))
      : [];
  return path.length === 0 ? below : [path, ...below];
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.every((step, at) => step === path[at]);
}

describe("the values of a request", () => {
  it("come back as they were, with every secret and every unknown in its place, at whatever depth", () => {
    fc.assert(
      fc.property(tree, fc.infiniteStream(fc.boolean()), (values, isSecret) => {
        const secret = pathsIn(values).filter(() => isSecret.next().value);
        // What is within another secret is marked with that.
        const secrets = secret.filter((path) => !secret.some((one) => one !== path && isWithin(path, one)));
        const back = decode(encode(values as Record<string, unknown>, secrets));
        expect(back.values).toEqual(values);
        expect(new Set(back.secrets.map((path) => path.join("\n")))).toEqual(
          new Set(secrets.map((path) => path.join("\n"))),
        );
      }),
    );
  });

  it("are read from outputs, with and without a value", () => {
    const { values, secrets } = decode({
      plain: output({ value: "a" }),
      hidden: output({ value: ["b", secret("c")], secret: true }),
      later: output({}),
      laterHidden: output({ secret: true }),
    });
    expect(values).toEqual({ plain: "a", hidden: ["b", "c"], later: UNKNOWN, laterHidden: UNKNOWN });
    expect(secrets).toEqual([["hidden"], ["hidden", 1], ["laterHidden"]]);
  });

  it("are unknown by any of the engine's marks", () => {
    const marks = [
      unknown,
      "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
      "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
      "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
      "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    ];
    expect(decode({ marks }).values).toEqual({ marks: marks.map(() => UNKNOWN) });
    expect(hasUnknown(decode({ a: [{ b: unknown }] }).values)).toBe(true);
    expect(hasUnknown(decode({ a: [{ b: "known" }] }).values)).toBe(false);
  });

  it("are a record, or nothing", () => {
    expect(decode(undefined)).toEqual({ values: {}, secrets: [] });
    expect(() => decode(secret("text"))).toThrow("the engine sent values that are no record");
  });
});
