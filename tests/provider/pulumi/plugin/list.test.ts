import { beforeAll, describe, expect, it } from "vitest";
import { unknown } from "../../../support/messages";
import { useService } from "./support/open-service";

const service = useService();
beforeAll(() => service.configure());

interface Answer {
  result?: { id: string };
  continuation?: { continuationToken: string };
  computed?: unknown;
}

/** Lists as the engine does: the ids, and where the next page begins. */
async function list(query: Record<string, string>, more: Record<string, unknown> = {}) {
  const answers = await service.answers<Answer>("list", { token: "pgcompute:index:Endpoint", query, ...more });
  const ids = answers.flatMap(({ result }) => result?.id ?? []);
  return { ids, next: answers.at(-1)?.continuation?.continuationToken ?? "", isComputed: answers.some(isComputed) };
}

const isComputed = ({ computed }: Answer) => computed !== undefined;

describe("List", () => {
  it("gives pages that go on where the last one ended, and as many as the limit", async () => {
    const { admin } = service.emulator;
    const { project } = admin.seedProject({ endpointId: "ep-main" });
    admin.seedFleet(project.id, { count: 250 });
    const all = admin.project(project.id).endpoints.map(({ id }) => `${project.id}/${id}`);
    all.sort();
    const query = { projectId: project.id };
    const first = await list(query);
    expect(first.ids).toEqual(all.slice(0, 100));
    // What has gone meanwhile, and what has come before, moves no page.
    admin.dropEndpoint(first.next.split("/")[1] ?? "");
    const second = await list(query, { continuationToken: first.next, pageSize: 120 });
    expect(second.ids).toEqual(all.slice(100, 220));
    const last = await list(query, { continuationToken: second.next });
    expect(last).toEqual({ ids: all.slice(220), next: "", isComputed: false });
    expect((await list(query, { limit: 30 })).ids).toEqual(all.slice(0, 30));
    expect((await list({ ...query, type: "read_only" })).ids).toEqual([]);
  });

  it("answers a query that is not known yet with a result that is not, and nothing else", async () => {
    const query = { projectId: service.emulator.projectId, branchId: unknown };
    expect(await list(query)).toEqual({ ids: [], next: "", isComputed: true });
  });

  it("refuses where a project's id is missing", async () => {
    await expect(list({})).rejects.toThrow("projectId: required, but not set");
  });
});
