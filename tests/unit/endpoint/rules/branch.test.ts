import { describe, expect, it, test } from "vitest";
import { checkBranchId, checkId, checkProjectId } from "../../../../provider/endpoint/rules/branch";
import { type Maybe, UNKNOWN } from "../../../../provider/lib/unknown";

const LONGEST = "a".repeat(60);

describe("checkId", () => {
  test.each<Maybe<string>>([undefined, UNKNOWN, "a", "ep-cool-darkness-123456", "0", LONGEST])(
    "accepts %s",
    (value) => {
      expect(checkId(value, "endpointId")).toEqual([]);
    },
  );

  test.each([
    ["", /^the value is empty: ids are 1 to 60 characters/],
    [`${LONGEST}a`, /is 61 characters long/],
    ["EP-A", /"EP-A" has characters that no id has/],
    ["ep_a", /has characters/],
    ["../x", /has characters/],
    ["%2f", /has characters/],
    ["ep-a ", /"ep-a " begins or ends with a space/],
    ["ep-a\n", /begins or ends/],
  ])("refuses %j", (value, reason) => {
    expect(checkId(value, "endpointId")).toEqual([{ property: "endpointId", reason: expect.stringMatching(reason) }]);
  });

  it("keeps a huge or hostile value short and harmless", () => {
    const reason = checkId(`\u001b[31m${"x".repeat(10_000)}`, "endpointId")[0]?.reason ?? "";
    expect(reason.length).toBeLessThan(250);
    expect(reason).not.toMatch(/\p{Cc}/u);
  });
});

describe("checkProjectId", () => {
  test.each<Maybe<string>>([undefined, UNKNOWN, "spring-example-302709", "p", LONGEST])("accepts %s", (value) => {
    expect(checkProjectId(value)).toEqual([]);
  });

  test.each(["My project", "", "Spring", `${LONGEST}a`])(
    "refuses %j and knows that the id can be looked up",
    (value) => {
      expect(checkProjectId(value)).toEqual([
        { property: "projectId", reason: expect.stringMatching(/no project id$/), advice: { kind: "find_project" } },
      ]);
    },
  );
});

describe("checkBranchId", () => {
  test.each<Maybe<string>>([undefined, UNKNOWN, "br-a", "br-aged-salad-637688", `br-${"a".repeat(57)}`])(
    "accepts %s",
    (value) => {
      expect(checkBranchId(value)).toEqual([]);
    },
  );

  test.each([
    ["main", /^"main" looks like a branch's name; branchId takes the branch's id, which starts with br-/],
    ["feature/login", /"feature\/login" looks like a branch's name/],
    ["BR-a", /looks like a branch's name/],
    ["ep-cool-123", /"ep-cool-123" looks like the id of an endpoint/],
    ["", /the value is empty/],
    ["  ", /begins or ends with a space/],
    ["br-", /is only the start of an id/],
    ["br-A", /has characters that no id has/],
    ["br-a ", /begins or ends with a space/],
    [`br-${"a".repeat(58)}`, /is 61 characters long/],
  ])("refuses %j in one failure", (value, reason) => {
    expect(checkBranchId(value)).toMatchObject([{ property: "branchId", reason: expect.stringMatching(reason) }]);
  });

  test.each<[Maybe<string>, object]>([
    [undefined, { kind: "find_branch" }],
    [UNKNOWN, { kind: "find_branch" }],
    ["My project", { kind: "find_branch" }],
    ["quiet-lake-12345678", { kind: "find_branch", projectId: "quiet-lake-12345678" }],
  ])("knows that the id can be looked up, of project %s", (projectId, advice) => {
    expect(checkBranchId("main", projectId)[0]?.advice).toEqual(advice);
    expect(checkBranchId("br-a", projectId)).toEqual([]);
  });
});
