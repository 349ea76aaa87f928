import { join } from "node:path";
import { ConfigureRequest, ListRequest, type ListResponse } from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "../../../tools/root.mjs";
import { endpointsOn, useBench } from "../support/platform";
import { createProject } from "../support/project";
import { call, startPlugin } from "./support/plugin-process";

const bench = useBench();
const TYPE = "pgcompute:index:Endpoint";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const account = () => ({ PGCOMPUTE_API_KEY: bench.emulator.apiKey, PGCOMPUTE_BASE_URL: bench.emulator.url });

async function openDo() {
  const project = await createProject({ env: account() });
  onTestFinished(() => project.close());
  const plugin = ["do", "--package", join(root, "bin/pulumi-resource-pgcompute"), "--non-interactive"];
  const run = (...args: string[]) => project.cli([...plugin, ...args]);
  return {
    refused: async (...args: string[]) => {
      const { code, text } = await run(...args);
      expect(code, text).not.toBe(0);
      return text;
    },
    done: async (...args: string[]) => {
      const { code, stdout, text } = await run(...args);
      expect(code, text).toBe(0);
      expect(text).not.toMatch(/\berror:|created for/);
      return stdout;
    },
  };
}

describe("pulumi do", () => {
  it("creates, lists, reads, changes and deletes an endpoint, call by call, and takes none for another's leftover", async () => {
    const { projectId } = bench;
    const [a, b] = [bench.branch(), bench.branch()];
    const { done, refused } = await openDo();
    const place = (branchId: string) => ["--project-id", projectId, "--branch-id", branchId];
    const create = (...given: string[]) => [TYPE, "create", "--stateless", "--yes", ...given];
    await done(...create(...place(a), "--size-cu", "1"));
    const [made] = endpointsOn(bench, a);
    const id = `${projectId}/${made?.id}`;
    const list = await done(TYPE, "list", ...place(a));
    expect(JSON.parse(list)).toEqual([{ id, name: made?.name }]);

    const text = await refused(...create(...place(a)));
    expect(text.match(/- branchId: (.*)/)?.[1]).toBe(
      `branch ${a} already has a read-write endpoint, ${made?.id} (1 CU, active), and a branch has at most one: ` +
        `\`pulumi do\` reads, patches and deletes it by its id, ${id}`,
    );
    expect(text).not.toMatch(/pulumi up|dependsOn|What you can do/);
    // Every call has one and the same URN.
    await done(...create(...place(b), "--dry-run"));
    expect(endpointsOn(bench, b)).toEqual([]);

    expect(JSON.parse(await done(TYPE, "read", id, "--output", "json"))).toMatchObject({ maxConnections: 450 });
    await done(TYPE, "patch", id, "--stateless", "--yes", "--size-cu", "2");
    expect(endpointsOn(bench, a)).toMatchObject([{ id: made?.id, autoscaling_limit_max_cu: 2 }]);
    await done(TYPE, "delete", id, "--stateless", "--yes");
    expect(endpointsOn(bench, a)).toEqual([]);
  });

  it("calls the functions, and says in one line what cannot be", async () => {
    const { projectId, emulator } = bench;
    const { done, refused } = await openDo();
    const branch = JSON.parse(await done("pgcompute:index:getBranch", "--project-id", projectId, "--name", "main"));
    expect(branch.id).toBe(emulator.branchId);
    const wrong = await refused(TYPE, "list", "--project-id", projectId, "--type", "writer");
    expect(wrong.trim()).toBe('error: type: has to be "read_write" or "read_only"');
  });
});

describe("List", () => {
  it("gives pages that go on where the last one ended, and as many as the limit", async () => {
    const { admin } = bench.emulator;
    const { project } = admin.seedProject({ endpointId: "ep-main" });
    admin.seedFleet(project.id, { count: 250 });
    const all = admin
      .project(project.id)
      .endpoints.map(({ id }) => `${project.id}/${id}`)
      .sort();
    const list = await openList();
    const query = { projectId: project.id };
    const first = await list({ query });
    expect(first.ids).toEqual(all.slice(0, 100));
    // What has gone meanwhile, and what has come before, moves no page.
    admin.dropEndpoint(first.next.split("/")[1] ?? "");
    const second = await list({ query, after: first.next, pageSize: 120 });
    expect(second.ids).toEqual(all.slice(100, 220));
    const last = await list({ query, after: second.next });
    expect(last).toEqual({ ids: all.slice(220), next: "", isComputed: false });
    expect((await list({ query, limit: 30 })).ids).toEqual(all.slice(0, 30));
    expect((await list({ query: { ...query, type: "read_only" } })).ids).toEqual([]);
  });

  it("answers a query that is not known yet with a result that is not, and nothing else", async () => {
    const list = await openList();
    const query = { projectId: bench.projectId, branchId: UNKNOWN };
    expect(await list({ query })).toEqual({ ids: [], next: "", isComputed: true });
  });

  it.each([
    ["a project's id is missing", { query: {} }, /projectId: required, but not given/],
    [
      "what it cannot list",
      { query: {}, token: `${TYPE}Fleet` },
      /pgcompute has no list of pgcompute:index:EndpointFleet/,
    ],
  ])("refuses where %s, and goes on", async (_, request, reason) => {
    const list = await openList();
    await expect(list(request)).rejects.toThrow(reason);
    expect((await list({ query: { projectId: bench.projectId } })).ids).not.toEqual([]);
  });
});

interface Listing {
  query: Record<string, string>;
  token?: string;
  after?: string;
  limit?: number;
  pageSize?: number;
}

/** Lists by a plugin of its own, as the engine does. */
async function openList() {
  const plugin = await startPlugin({ env: account() });
  onTestFinished(() => plugin.close());
  await call((done) => plugin.client.configure(new ConfigureRequest(), done));
  return async ({ query, token = TYPE, after = "", limit = 0, pageSize = 0 }: Listing) => {
    const request = new ListRequest().setToken(token).setQuery(Struct.fromJavaScript(query));
    request.setContinuationToken(after).setLimit(limit).setPageSize(pageSize);
    const answers: ListResponse[] = [];
    for await (const one of plugin.client.list(request)) answers.push(one);
    return {
      ids: answers.flatMap((one) => one.getResult()?.getId() ?? []),
      next: answers.at(-1)?.getContinuation()?.getContinuationToken() ?? "",
      isComputed: answers.some((one) => one.hasComputed()),
    };
  };
}
