import { describe, expect, it } from "vitest";
import { walkPages } from "../../../provider/platform/pages";
import type { OperationPage, OperationRecord } from "../../../provider/platform/records";

// Specification, sections 2.2 and 4.1.
describe("walkPages", () => {
  it.each<[string, OperationPage[], string]>([
    ["no cursor", [page("ab", "1"), page("cd")], "abcd"],
    ["an empty page", [page("ab", "1"), page("", "2"), page("xx", "3")], "ab"],
    ["a short page", [page("ab", "1"), page("c", "2"), page("xx", "3")], "abc"],
    ["a repeated cursor", [page("ab", "1"), page("cd", "1"), page("xx", "2")], "abcd"],
    ["an older cursor again", [page("ab", "1"), page("cd", "2"), page("ef", "1"), page("xx", "3")], "abcdef"],
    ["nothing but known ones", [page("ab", "1"), page("ab", "2"), page("xx", "3")], "ab"],
    ["an empty first page", [page("", "1"), page("xx", "2")], ""],
    ["a page that overlaps", [page("ab", "1"), page("bc", "2"), page("d")], "abcd"],
    ["a page with twins", [page("aa", "1"), page("b")], "ab"],
    ["a page over the limit", [page("abc", "1"), page("d")], "abcd"],
  ])("ends at %s", async (_, pages, expected) => {
    const asked: (string | undefined)[] = [];
    const walk = walkPages(async (limit, cursor) => {
      expect(limit).toBe(2);
      asked.push(cursor);
      return pages[asked.length - 1] ?? page("");
    }, 2);
    const ids: string[] = [];
    for await (const operation of walk) ids.push(operation.id);
    expect(ids.join("")).toBe(expected);
    expect(asked).toEqual([undefined, ...pages.slice(0, asked.length - 1).map((each) => each.cursor)]);
  });

  it("fetches no page that nobody reads", async () => {
    let fetched = 0;
    const walk = walkPages(async () => {
      fetched += 1;
      return page("ab", String(fetched));
    }, 2);
    for await (const _ of walk) break;
    expect(fetched).toBe(1);
  });
});

function page(ids: string, cursor?: string): OperationPage {
  const operations = [...ids].map(operation);
  return cursor === undefined ? { operations } : { operations, cursor };
}

function operation(id: string): OperationRecord {
  return { id, projectId: "p", action: "a", status: "finished", failuresCount: 0, createdAt: "", updatedAt: "" };
}
