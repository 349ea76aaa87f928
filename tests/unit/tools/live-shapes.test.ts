import { expect, it } from "vitest";
import { differences, type Recorded, shapesOf } from "../../../tools/live/shapes";

const answer = (body: unknown, path = "/projects/p-1/endpoints/ep-1?x=1", status = 200): Recorded => ({
  method: "GET",
  path,
  status,
  body,
});

const between = (account: unknown, emulator: unknown) =>
  differences(shapesOf([answer(account)]), shapesOf([answer(emulator, "/projects/q/endpoints/ep-2")]));

const call = "GET /projects/{id}/endpoints/{id} 200";

it.each<[string, unknown, unknown, string[]]>([
  ["nothing but values", { id: "a", n: 1 }, { id: "b", n: 2 }, []],
  ["a further field", { a: 1, b: { c: 1 } }, { a: 1 }, ["b: only in the account's answers (object)"]],
  ["a missing field", { a: 1 }, { a: 1, b: { c: 1 } }, ["b: only in the emulator's answers"]],
  ["another kind", { a: [{ b: null }] }, { a: [{ b: "x" }] }, ["a[].b: null where the emulator has text"]],
  [
    "another precision",
    { at: "2024-05-01T10:00:00.5Z" },
    { at: "2024-05-01T10:00:00Z" },
    ["at: time where the emulator has time in seconds"],
  ],
  ["a word of the platform's", { status: "x" }, { status: "y" }, ['status: "x" where the emulator has "y"']],
  ["keys of the user's", { pg_settings: { a: "1" } }, { pg_settings: { b: "1" } }, []],
  ["an empty list", { a: [] }, { a: [{ b: 1 }] }, ["a[]: only in the emulator's answers"]],
])("answers differ in %s", (_, account, emulator, lines) => {
  expect(between(account, emulator)).toEqual(lines.map((line) => `${call}: ${line}`));
});

it("calls that only one of the two answered so are named", () => {
  const account = shapesOf([answer({}, "/projects/p/operations", 500)]);
  expect(differences(account, shapesOf([answer({}, "/projects/p/operations")]))).toEqual([
    "GET /projects/{id}/operations 200: only the emulator answered so",
    "GET /projects/{id}/operations 500: only the account answered so",
  ]);
});
