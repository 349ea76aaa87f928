import { describe, expect, it } from "vitest";
import type { Context } from "../../../provider/endpoint/context";
import { findCreated, type LostCreate } from "../../../provider/endpoint/lost-create";
import type { SharedProject } from "../../../provider/platform/account";
import { AnswerError } from "../../../provider/platform/errors";
import { type Create, Creates } from "../../../provider/platform/project/creates";
import type { EndpointRecord } from "../../../provider/platform/records";
import { createVirtualClock } from "../../support/virtual-clock";

const SENT = Date.UTC(2025, 0, 1, 12, 0, 0, 400);

/** What a create is looked for in: one list, of a platform that tells its time. */
interface Place {
  records: EndpointRecord[];
  type?: "read_write" | "read_only";
  /** What had been seen when the request went out; undefined where no list had been. */
  mark?: number | undefined;
  /** When its attempts went out, by the platform's clock. */
  attempts?: (number | undefined)[];
  isShownBy?: LostCreate["isShownBy"];
  keepsNames?: boolean;
  /** The name that only this create gives; null where the program names the endpoint. */
  ownName?: null;
}

const name = "pulumi-main-0123456789ab-00000000";

function seen(id: string, part: Partial<EndpointRecord> = {}): EndpointRecord {
  return { id, projectId: "p-1", branchId: "br-a", type: "read_write", createdAt: "2025-01-01T12:00:00Z", ...part };
}

/** What becomes of a create all of whose attempts were lost. */
async function outcome({
  records,
  type = "read_write",
  attempts = [SENT],
  isShownBy = () => true,
  keepsNames,
  ownName,
  ...place
}: Place): Promise<string> {
  let nowMs: number | undefined;
  const mark = "mark" in place ? place.mark : 7;
  const creates = new Creates({ mark: () => mark }, { platformTime: () => nowMs }, keepsNames);
  const create: Create = { branchId: "br-a", type, ownName: ownName === null ? undefined : name };
  for (const sentMs of attempts) {
    await creates
      .attempt(create, async (onAttempt) => {
        await Promise.resolve();
        nowMs = sentMs;
        onAttempt();
        throw new AnswerError("answer_lost", "the connection broke");
      })
      .catch(() => {});
  }
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

const it1 = "placed: ep-1";
const unclear1 = "unclear: ep-1";

describe("a branch's new primary, where the answer to its create was lost", () => {
  it.each<[string, string, Partial<EndpointRecord>, Omit<Place, "records">]>([
    ["is it", it1, {}, {}],
    ["by its name is it, whatever else it is", "named: ep-1", { name, createdAt: "1999-01-01T00:00:00Z" }, {}],
    ["without its name, where names are kept, is not it", "none", {}, { keepsNames: true }],
    ["that the program names is it, where names are kept", it1, { name: "db" }, { ownName: null, keepsNames: true }],
    ["that the program names is it, where names are shown", it1, { name: "db" }, { ownName: null }],
    ["that bears a mark is not it, where the program names it", "none", { name }, { ownName: null }],
    ["not as the program names it may be it", unclear1, { name: "x" }, { ownName: null, isShownBy: () => false }],
    ["on another branch is not it", "none", { branchId: "br-b" }, {}],
    ["of another type is not it", "none", { type: "read_only" }, {}],
    ["that is not as it was sent may be it", unclear1, {}, { isShownBy: () => false }],
    ["that was seen before is not it", "none", { id: "ep-old" }, {}],
    ["that another create of this run has made is not it", "none", { id: "ep-made" }, {}],
    ["that a resource of this run has is not it", "none", { id: "ep-owned" }, {}],
    // The request went out at 12:00:00.4: its second, and one of grace.
    ["of the second before is it", it1, { createdAt: "2025-01-01T11:59:59Z" }, {}],
    ["of two seconds before is not it", "none", { createdAt: "2025-01-01T11:59:58Z" }, {}],
    ["of the first of two attempts is it", it1, {}, { attempts: [SENT, SENT + 60_000] }],
    ["of a later attempt is it", it1, { createdAt: "2025-01-01T12:01:00Z" }, { attempts: [SENT, SENT + 60_000] }],
    ["without a date may be it", unclear1, { createdAt: undefined }, {}],
    ["of a platform that tells no time may be it", unclear1, {}, { attempts: [undefined] }],
    ["where no list was seen before may be it", unclear1, {}, { mark: undefined }],
    ["with another name may be it", unclear1, { name: "analytics" }, {}],
    ["with an empty name is it", it1, { name: "" }, {}],
    ["with a name that means nothing is it", it1, { name: "auto-7" }, { keepsNames: false }],
  ])("%s", async (_, wanted, record, place) => {
    expect(await outcome({ ...place, records: [seen("ep-1", record as EndpointRecord)] })).toBe(wanted);
  });
});

describe("a replica whose create lost its answer", () => {
  const replica = (id: string, part: Partial<EndpointRecord> = {}) => seen(id, { type: "read_only", ...part });

  it.each<[string, EndpointRecord[], string, Partial<Place>]>([
    ["by its name", [replica("ep-1", { name }), replica("ep-2")], "named: ep-1", {}],
    ["never by its looks", [replica("ep-1")], unclear1, {}],
    ["nor where nothing is new", [replica("ep-old"), seen("ep-1"), replica("ep-made")], "unclear: ", {}],
    [
      "nor among several",
      [replica("ep-1"), replica("ep-2", { branchId: "br-b" }), replica("ep-3")],
      "unclear: ep-1 ep-3",
      {},
    ],
    ["nor by the program's name", [replica("ep-1", { name: "db" })], unclear1, { ownName: null, keepsNames: true }],
    ["and not where names are kept and none has it", [replica("ep-1")], "none", { keepsNames: true }],
  ])("is found %s", async (_, records, wanted, place) => {
    expect(await outcome({ records, type: "read_only", ...place })).toBe(wanted);
  });
});
