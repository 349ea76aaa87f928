import { afterAll, describe, expect, it } from "vitest";
import { createApi, pages } from "../../../provider/platform/client";
import type { OperationRecord, Page } from "../../../provider/platform/records";

const KEY = "napi_secret_0123456789";
/** Nothing listens there: what is refused is refused before any call. */
const api = createApi({ baseUrl: "http://127.0.0.1:9/api/v2", apiKey: KEY });
afterAll(() => api.close());

const refused = { kind: "invalid_argument", message: expect.stringContaining("No call was made") };

describe("ids", () => {
  const bad = ["", "../x", "a/b", "%2e%2e", "a b", "UPPER", "ü", "a\nb", "x".repeat(10_000)];

  it.each(bad)("refuses %j as the id of an endpoint, without a call", async (value) => {
    const asked = api.getEndpoint("p", value);
    await expect(asked).rejects.toMatchObject(refused);
    await expect(asked).rejects.toThrow("id of an endpoint");
    await expect(asked).rejects.toSatisfy(({ message }: Error) => message.length < 250);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["a project", () => api.listBranches("../x")],
    ["a branch", () => api.getBranch("p", "../x")],
    ["a branch", () => api.createEndpoint("p", { branchId: "../x" })],
    ["an endpoint", () => api.deleteEndpoint("p", "../x")],
    ["an operation", () => api.getOperation("p", "../x")],
  ])("names which id it is: that of %s", async (which, work) => {
    await expect(work()).rejects.toThrow(`id of ${which}:`);
  });

  it.each(["", "..", "../x", "a_b", "x".repeat(65)])("refuses %j as the id of an operation", async (value) => {
    await expect(api.getOperation("p", value)).rejects.toMatchObject(refused);
  });
});

describe("pages", () => {
  it.each<[string, Page<OperationRecord>[], string]>([
    ["no cursor", [page("ab", "1"), page("cd")], "abcd"],
    ["an empty page", [page("ab", "1"), page("", "2"), page("xx", "3")], "ab"],
    ["a repeated cursor", [page("ab", "1"), page("cd", "1"), page("xx", "2")], "abcd"],
    ["an older cursor again", [page("ab", "1"), page("cd", "2"), page("ef", "1"), page("xx", "3")], "abcdef"],
    ["nothing but known ones", [page("ab", "1"), page("ab", "2"), page("xx", "3")], "ab"],
    ["an empty first page", [page("", "1"), page("xx", "2")], ""],
    ["a page that overlaps", [page("ab", "1"), page("bc", "2"), page("d")], "abcd"],
    ["a page with twins", [page("aa", "1"), page("b")], "ab"],
    ["a page over the limit", [page("abc", "1"), page("d")], "abcd"],
  ])("end at %s", async (_, listed, expected) => {
    const asked: (string | undefined)[] = [];
    const fetchPage = async ({ limit, cursor }: { limit: number; cursor?: string | undefined }) => {
      expect(limit).toBe(2);
      asked.push(cursor);
      return listed[asked.length - 1] ?? page("");
    };
    const ids: string[] = [];
    for await (const operations of pages(fetchPage, { limit: 2 })) ids.push(...operations.map(({ id }) => id));
    expect(ids.join("")).toBe(expected);
    expect(asked).toEqual([undefined, ...listed.slice(0, asked.length - 1).map((each) => each.cursor)]);
  });

  it("end at a short page where that is the rule, and go on beyond it where a platform may cap below the limit", async () => {
    const listed = [page("ab", "1"), page("c", "2"), page("d", "3"), page("")];
    const read = async (rule: { isShortLast?: true }) => {
      const ids: string[] = [];
      const left = [...listed];
      const fetchPage = async () => left.shift() ?? page("");
      for await (const operations of pages(fetchPage, { limit: 2, ...rule }))
        ids.push(...operations.map(({ id }) => id));
      return `${ids.join("")}, ${listed.length - left.length} calls`;
    };
    expect([await read({ isShortLast: true }), await read({})]).toEqual(["abc, 2 calls", "abcd, 4 calls"]);
  });

  it("are not fetched where nobody reads them", async () => {
    const { fetchPage, fetched } = endless();
    for await (const _ of pages(fetchPage, { limit: 2 })) break;
    expect(fetched()).toBe(1);
  });

  it.each([
    [7, 7],
    [undefined, 1_000],
  ])("of a list that never ends are at most %s", async (maxPages, expected) => {
    const { fetchPage, fetched } = endless();
    for await (const _ of pages(fetchPage, { limit: 2, maxPages }));
    expect(fetched()).toBe(expected);
  });
});

/** A list with ever new operations and ever new cursors. */
function endless() {
  let count = 0;
  return {
    fetched: () => count,
    fetchPage: async (): Promise<Page<OperationRecord>> => {
      count += 1;
      return { items: [operation(`a${count}`), operation(`b${count}`)], cursor: String(count) };
    },
  };
}

function page(ids: string, cursor?: string): Page<OperationRecord> {
  const items = [...ids].map(operation);
  return cursor === undefined ? { items } : { items, cursor };
}

function operation(id: string): OperationRecord {
  return { id, projectId: "p", action: "a", status: "finished", failuresCount: 0, createdAt: "", updatedAt: "" };
}
