import { describe, expect, it } from "vitest";
import type { Context } from "../../../provider/endpoint/context";
import { findCreated, type LostCreate } from "../../../provider/endpoint/recovery";
import type { SharedProject } from "../../../provider/platform/account";
import { AnswerError } from "../../../provider/platform/errors";
import { type Create, Creates } from "../../../provider/platform/project/creates";
import type { EndpointRecord } from "../../../provider/platform/records";
import { createVirtualClock } from "../../support/virtual-clock";

const SENT = Date.UTC(2025, 0, 1, 12, 0, 0, 400);

/** What a create is looked for in: one list, of a platform that tells its time. */
interface Place {
  records: EndpointRecord[];
  /** What had been seen when each request went out; undefined where no list had been. */
  mark?: number | undefined;
  /** When each of its attempts went out and was lost, by the platform's clock. */
  attempts?: [sentMs: number | undefined, lostMs: number | undefined][];
  isShownBy?: LostCreate["isShownBy"];
  keepsNames?: boolean;
  /** The name that only this create gives; null where the program names the endpoint. */
  ownName?: null;
  /** Others of this run whose answers were lost: before this one, or side by side with it. */
  others?: Partial<Create>[];
}

const main: Create = { branchId: "br-a", type: "read_only", ownName: "pulumi-main-0123456789ab-00000000" };

function seen(id: string, part: Partial<EndpointRecord> = {}): EndpointRecord {
  return { id, projectId: "p-1", branchId: "br-a", type: "read_only", createdAt: "2025-01-01T12:00:00Z", ...part };
}

/** What becomes of a create all of whose attempts were lost. */
async function outcome({
  records,
  attempts = [[SENT, SENT + 100]],
  isShownBy = () => true,
  keepsNames,
  ownName,
  others = [],
  ...place
}: Place): Promise<string> {
  let nowMs: number | undefined;
  const mark = "mark" in place ? place.mark : 7;
  const creates = new Creates({ mark: () => mark }, () => nowMs);
  const lose = async (create: Create, [sentMs, lostMs]: [number | undefined, number | undefined]) => {
    await creates
      .attempt(create, async (onAttempt) => {
        await Promise.resolve();
        nowMs = sentMs;
        onAttempt();
        nowMs = lostMs;
        throw new AnswerError("answer_lost", "the connection broke");
      })
      .catch(() => {});
  };
  for (const other of others)
    await lose({ ...main, ownName: "pulumi-other-0123456789ab-00000000", ...other }, [SENT, SENT]);
  const create = ownName === null ? { branchId: main.branchId, type: main.type } : { ...main };
  for (const attempt of attempts) await lose(create, attempt);
  if (keepsNames !== undefined) creates.keepsNames = keepsNames;
  creates.take({ id: "ep-made" });
  const shared = {
    creates,
    cache: {
      snapshot: async () => ({ all: () => [], get: () => undefined }),
      wasSeenBefore: (_: number, id: string) => id === "ep-old",
    },
    operations: { look: async () => [] },
  };
  const context = {
    account: {
      api: { listBranchEndpoints: async () => records },
      clock: createVirtualClock(),
      project: () => shared as unknown as SharedProject,
    },
    reporter: { status: () => {} },
    signal: new AbortController().signal,
  } as unknown as Context;
  const lost: LostCreate = { projectId: "p-1", create, isShownBy, isTaken: (id) => id === "ep-owned" };
  const found = await findCreated(context, lost, { patient: false });
  if (found?.kind === "unclear") return `unclear: ${found.candidates.map(({ id }) => id).join(" ")}`;
  return found ? `${found.kind}: ${found.record.id}` : "none";
}

const it1 = "by_difference: ep-1";
const unclear1 = "unclear: ep-1";

describe("one endpoint, for the only create that has lost its answer", () => {
  it.each<[string, string, Partial<EndpointRecord>, Omit<Place, "records">]>([
    ["is it", it1, {}, {}],
    [
      "by its name is it, whatever else it is",
      "named: ep-1",
      { name: String(main.ownName), createdAt: "1999-01-01T00:00:00Z" },
      {},
    ],
    ["without its name, where names are kept, is not it", "none", {}, { keepsNames: true }],
    ["that the program names is it, where names are kept", it1, { name: "db" }, { ownName: null, keepsNames: true }],
    ["that the program names is it, where names are shown", it1, { name: "db" }, { ownName: null }],
    [
      "that bears a mark is not it, where the program names it",
      "none",
      { name: main.ownName ?? "" },
      { ownName: null },
    ],
    [
      "not as it was sent, named by the program, may be it",
      unclear1,
      { name: "x" },
      { ownName: null, isShownBy: () => false },
    ],
    ["on another branch is not it", "none", { branchId: "br-b" }, {}],
    ["of another type is not it", "none", { type: "read_write" }, {}],
    ["that is not as it was sent may be it", unclear1, {}, { isShownBy: () => false }],
    ["that was seen before is not it", "none", { id: "ep-old" }, {}],
    ["that another create of this run has made is not it", "none", { id: "ep-made" }, {}],
    ["that a resource of this run has is not it", "none", { id: "ep-owned" }, {}],
    // The request went out at 12:00:00.4: its second, and one of grace.
    ["of the second before is it", it1, { createdAt: "2025-01-01T11:59:59Z" }, {}],
    ["of two seconds before is not it", "none", { createdAt: "2025-01-01T11:59:58Z" }, {}],
    ["of much later may be it", unclear1, { createdAt: "2025-01-01T12:00:07Z" }, {}],
    ["without a date may be it", unclear1, { createdAt: undefined }, {}],
    ["of a platform that tells no time may be it", unclear1, {}, { attempts: [[undefined, undefined]] }],
    ["where no list was seen before may be it", unclear1, {}, { mark: undefined }],
    ["with another name may be it", unclear1, { name: "analytics" }, {}],
    ["with an empty name is it", it1, { name: "" }, {}],
    ["with a name that means nothing is it", it1, { name: "auto-7" }, { keepsNames: false }],
    ["beside another lost create on another branch is it", it1, {}, { others: [{ branchId: "br-b" }] }],
    ["beside another lost create at its branch and of its type may be it", unclear1, {}, { others: [{}] }],
  ])("%s", async (_, wanted, record, place) => {
    expect(await outcome({ ...place, records: [seen("ep-1", record as EndpointRecord)] })).toBe(wanted);
  });

  it.each([
    ["11:59:30", "none"],
    ["12:00:00", unclear1],
    ["12:00:30", unclear1],
    ["12:01:00", unclear1],
  ])("of %s, where attempts were lost at 12:00:00 and 12:01:00: %s", async (time, wanted) => {
    const attempts: Place["attempts"] = [
      [SENT, SENT + 100],
      [SENT + 60_000, SENT + 60_100],
    ];
    expect(await outcome({ attempts, records: [seen("ep-1", { createdAt: `2025-01-01T${time}Z` })] })).toBe(wanted);
  });
});

it.each<[string, EndpointRecord[], string]>([
  ["several", [seen("ep-1"), seen("ep-2")], "unclear: ep-1 ep-2"],
  ["one beside others that cannot be it", [seen("ep-1"), seen("ep-2", { branchId: "br-b" }), seen("ep-old")], it1],
])("of %s, only a sole one is taken", async (_, records, wanted) => {
  expect(await outcome({ records })).toBe(wanted);
});
