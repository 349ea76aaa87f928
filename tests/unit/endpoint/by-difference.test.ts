import { describe, expect, it } from "vitest";
import { type Known, tellByDifference } from "../../../provider/endpoint/by-difference";
import type { LostAttempt, OpenCreate } from "../../../provider/platform/project/open-creates";
import type { EndpointRecord } from "../../../provider/platform/records";

const SENT = Date.UTC(2025, 0, 1, 12, 0, 0, 400);
const known: Known = {
  wasSeenBefore: (_, id) => id.startsWith("ep-old"),
  isDisputed: (id) => id.startsWith("ep-named"),
};

function lostAttempt(part: Partial<LostAttempt> = {}): LostAttempt {
  return { mark: 7, sentAtMs: SENT, lostAtMs: SENT + 100, ...part };
}

/** A create that was lost 100 ms after it was sent, and that any endpoint shows. */
function lostCreate(part: Partial<OpenCreate> = {}): OpenCreate {
  return {
    branchId: "br-a",
    type: "read_only",
    name: "pulumi-main-0123456789ab-00000000",
    values: 2,
    isShownBy: () => "yes",
    lost: [lostAttempt()],
    ...part,
  };
}

function seen(id: string, part: Partial<EndpointRecord> = {}): EndpointRecord {
  return { id, projectId: "p-1", branchId: "br-a", type: "read_only", createdAt: "2025-01-01T12:00:00Z", ...part };
}

/** A create that only the endpoint with this size shows. */
const sized = (sizeCu: number, part: Partial<OpenCreate> = {}) =>
  lostCreate({
    values: 4,
    isShownBy: ({ autoscalingLimitMinCu }) => (autoscalingLimitMinCu === sizeCu ? "yes" : "no"),
    ...part,
  });

function told(
  create: OpenCreate,
  records: EndpointRecord[],
  part: { waiting?: OpenCreate[]; known?: Partial<Known> } = {},
) {
  const { waiting = [create] } = part;
  const result = tellByDifference({ create, waiting, records, known: { ...known, ...part.known } });
  if (result.kind === "it") return result.record.id;
  return result.kind === "none" ? "none" : `unclear: ${result.candidates.map(({ id }) => id).join(" ")}`;
}

describe("one endpoint, for one create", () => {
  it.each<[string, string, Partial<EndpointRecord>, Partial<OpenCreate>]>([
    ["is it", "ep-1", {}, {}],
    ["on another branch is not it", "none", { branchId: "br-b" }, {}],
    ["of another type is not it", "none", { type: "read_write" }, {}],
    ["that is not as it was sent is not it", "none", {}, { isShownBy: () => "no" }],
    ["in another spelling may be it", "unclear: ep-1", {}, { isShownBy: () => "maybe" }],
    // The request went out at 12:00:00.4: its second, and one of grace.
    ["of the second before is it", "ep-1", { createdAt: "2025-01-01T11:59:59Z" }, {}],
    ["of two seconds before is not it", "none", { createdAt: "2025-01-01T11:59:58Z" }, {}],
    ["in fractions of a second is it", "ep-1", { createdAt: "2025-01-01T12:00:00.412345Z" }, {}],
    ["in another time zone is it", "ep-1", { createdAt: "2025-01-01T14:00:01+02:00" }, {}],
    ["of some seconds later is it", "ep-1", { createdAt: "2025-01-01T12:00:06Z" }, {}],
    ["of much later may be it", "unclear: ep-1", { createdAt: "2025-01-01T12:00:07Z" }, {}],
    [
      "that waited for its answer long is it",
      "ep-1",
      { createdAt: "2025-01-01T12:00:35Z" },
      { lost: [lostAttempt({ lostAtMs: SENT + 30_000 })] },
    ],
    ["without a date may be it", "unclear: ep-1", { createdAt: undefined }, {}],
    ["with a date that is none may be it", "unclear: ep-1", { createdAt: "yesterday" }, {}],
    [
      "of a platform that tells no time may be it",
      "unclear: ep-1",
      {},
      { lost: [lostAttempt({ sentAtMs: undefined })] },
    ],
    ["where no list was seen before may be it", "unclear: ep-1", {}, { lost: [lostAttempt({ mark: undefined })] }],
    ["of a create that was never sent is not it", "none", {}, { lost: [] }],
    ["with another name may be it", "unclear: ep-1", { name: "analytics" }, {}],
    ["with an empty name is it", "ep-1", { name: "" }, {}],
  ])("%s", (_, wanted, record, create) => {
    expect(told(lostCreate(create), [seen("ep-1", record as EndpointRecord)])).toBe(wanted);
  });

  it("is of one of several attempts, or of none that was under way when it was created", () => {
    const late = { mark: 9, sentAtMs: SENT + 60_000, lostAtMs: SENT + 60_100 };
    const create = lostCreate({ lost: [lostAttempt(), late] });
    const at = (createdAt: string, id = "ep-1") => told(create, [seen(id, { createdAt })]);
    expect(at("2025-01-01T12:00:00Z")).toBe("ep-1");
    expect(at("2025-01-01T12:01:00Z")).toBe("ep-1");
    expect(at("2025-01-01T12:00:30Z")).toBe("unclear: ep-1");
    expect(at("2025-01-01T11:59:30Z")).toBe("none");
    // What a list had shown when the second one went out can be the first one's only.
    const part = { known: { wasSeenBefore: (mark: number) => mark > 8 } };
    expect(told(create, [seen("ep-1", { createdAt: "2025-01-01T12:01:00Z" })], part)).toBe("unclear: ep-1");
    expect(told(create, [seen("ep-1")], part)).toBe("ep-1");
  });

  it("that was seen before is not it, and one that a message has named is given to nobody", () => {
    expect(told(lostCreate(), [seen("ep-old-1")])).toBe("none");
    expect(told(lostCreate(), [seen("ep-named-1")])).toBe("unclear: ep-named-1");
  });

  it("with a name that means nothing is it", () => {
    expect(told(lostCreate(), [seen("ep-1", { name: "auto-7" })], { known: { keepsNames: false } })).toBe("ep-1");
  });
});

describe("several endpoints", () => {
  it("for one create are unclear", () => {
    expect(told(lostCreate(), [seen("ep-1"), seen("ep-2")])).toBe("unclear: ep-1 ep-2");
    expect(told(lostCreate(), [seen("ep-1"), seen("ep-2", { createdAt: undefined })])).toBe("unclear: ep-1 ep-2");
  });

  it("for as many equal creates are given out, one each", () => {
    const waiting = Array.from({ length: 40 }, () => lostCreate());
    const records = waiting.map((_, index) => seen(`ep-${index}`));
    const given = waiting.map((create) => told(create, records, { waiting }));
    expect(given.sort()).toEqual(records.map(({ id }) => id).sort());
  });

  it("one fewer than the creates leave one without, one more makes all of them unclear", () => {
    const waiting = [lostCreate(), lostCreate()];
    const each = (records: EndpointRecord[]) => waiting.map((create) => told(create, records, { waiting }));
    expect(each([seen("ep-1")])).toEqual(["ep-1", "none"]);
    expect(each([seen("ep-1"), seen("ep-2")])).toEqual(["ep-1", "ep-2"]);
    expect(each([seen("ep-1"), seen("ep-2"), seen("ep-3")])).toEqual(Array(2).fill("unclear: ep-1 ep-2 ep-3"));
  });

  it("go to the most particular create first, and move on where that makes room", () => {
    const [any, large] = [lostCreate(), sized(2)];
    const [small, big] = [seen("ep-small", { autoscalingLimitMinCu: 1 }), seen("ep-big", { autoscalingLimitMinCu: 2 })];
    expect(told(any, [big], { waiting: [any, large] })).toBe("none");
    expect(told(large, [big], { waiting: [any, large] })).toBe("ep-big");
    expect(told(any, [big, small], { waiting: [any, large] })).toBe("ep-small");
    // Two that each accept both, and one that accepts only the first: everybody is served.
    const either = lostCreate({ values: 9 });
    expect(told(either, [big, small], { waiting: [either, large] })).toBe("ep-small");
    expect(told(large, [big, small], { waiting: [either, large] })).toBe("ep-big");
  });

  it("that another create explains do not make it unclear", () => {
    const other = sized(2);
    const create = lostCreate({
      isShownBy: ({ autoscalingLimitMinCu }) => (autoscalingLimitMinCu === 2 ? "maybe" : "yes"),
    });
    const records = [seen("ep-1", { autoscalingLimitMinCu: 1 }), seen("ep-2", { autoscalingLimitMinCu: 2 })];
    expect(told(create, records, { waiting: [create, other] })).toBe("ep-1");
    expect(told(create, records)).toBe("unclear: ep-1 ep-2");
  });
});
