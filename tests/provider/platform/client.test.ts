import { describe, expect, it, onTestFinished } from "vitest";
import type { Api } from "../../../provider/platform/api";
import { type ApiOptions, createApi } from "../../../provider/platform/client";
import { CancelledError } from "../../../provider/platform/errors";
import { wireEndpoint, wireOperation } from "../../support/samples";
import { answer, type Handle, type RawServer, serve } from "./support/raw-server";

// Specification, sections 4.2 and 4.4.

const PROJECT = "p-one";
const ENDPOINT = "ep-calm-sea-1";
const OPERATION = "a07f8772-1877-4da9-a939-3a3ae62d1d8d";
const change = { endpoint: wireEndpoint(), operations: [wireOperation()] };

const BY_CREATION = "sort_by=created_at&sort_order=desc";

/** A call with its arguments, the last request that it makes, and what its error says that it was to do. */
type Call = [name: keyof Api, args: unknown[], request: string, purpose: string];

/** Of the project, which is their first argument. */
const inProject: Call[] = [
  ["listBranches", [], `GET /branches?limit=100&${BY_CREATION}`, "list the branches"],
  ["branchPages", [], `GET /branches?limit=100&cursor=b1&${BY_CREATION}`, "list the branches"],
  ["getBranch", ["br-1"], "GET /branches/br-1", "read branch br-1"],
  ["listEndpoints", [], "GET /endpoints", "list the endpoints"],
  ["listBranchEndpoints", ["br-1"], "GET /branches/br-1/endpoints", "list the endpoints of branch br-1"],
  ["getEndpoint", [ENDPOINT], `GET /endpoints/${ENDPOINT}`, `read endpoint ${ENDPOINT}`],
  [
    "createEndpoint",
    [{ branchId: "br-1", type: "read_write" }],
    'POST /endpoints {"endpoint":{"branch_id":"br-1","type":"read_write"}}',
    "create an endpoint on branch br-1",
  ],
  [
    "updateEndpoint",
    [ENDPOINT, { disabled: true }],
    `PATCH /endpoints/${ENDPOINT} {"endpoint":{"disabled":true}}`,
    `update endpoint ${ENDPOINT}`,
  ],
  ["deleteEndpoint", [ENDPOINT], `DELETE /endpoints/${ENDPOINT}`, `delete endpoint ${ENDPOINT}`],
  ["suspendEndpoint", [ENDPOINT], `POST /endpoints/${ENDPOINT}/suspend`, `suspend endpoint ${ENDPOINT}`],
  ["startEndpoint", [ENDPOINT], `POST /endpoints/${ENDPOINT}/start`, `start endpoint ${ENDPOINT}`],
  ["getOperation", [OPERATION], `GET /operations/${OPERATION}`, `read operation ${OPERATION}`],
  [
    "operationPages",
    [{ limit: 1 }],
    "GET /operations?limit=1&cursor=2025-01-01T00%3A00%3A00.5Z%26x%3D%C3%A9",
    "list the operations",
  ],
  ["listPreloadLibraries", [], "GET /available_preload_libraries", "list the preload libraries"],
];

const calls: Call[] = [
  ["listProjects", [], `GET /projects?limit=100&cursor=${PROJECT}`, "list the projects"],
  ["listProjects", ["org-1"], `GET /projects?limit=100&cursor=${PROJECT}&org_id=org-1`, "list the projects"],
  ["getProject", [PROJECT], "GET /projects/p-one", "read project p-one"],
  ...inProject.map(([name, args, request, purpose]): Call => {
    return [name, [PROJECT, ...args], request.replace("/", "/projects/p-one/"), `${purpose} of project p-one`];
  }),
];

const endpoints = { endpoints: [wireEndpoint()] };
const spent = { active_time_seconds: 10, compute_time_seconds: 10, written_data_bytes: 1 };
const quota = { active_time_seconds: 10, compute_time_seconds: 11, written_data_bytes: 0 };

/** What is answered to each call, and what it comes to. */
const answers: Readonly<Record<string, [body: object, result: unknown]>> = {
  listProjects: [
    { projects: [{ id: PROJECT, name: "One" }], pagination: { cursor: PROJECT } },
    [{ id: PROJECT, name: "One" }],
  ],
  getProject: [{ project: { id: PROJECT, ...spent, settings: { quota } } }, { id: PROJECT, spent: ["active time"] }],
  listBranches: [{ branches: [{ id: "br-1", project_id: PROJECT }] }, [{ id: "br-1", projectId: PROJECT }]],
  branchPages: [
    { branches: [{ id: "br-1", project_id: PROJECT }], pagination: { next: "b1" } },
    [[{ id: "br-1", projectId: PROJECT }]],
  ],
  getBranch: [{ branch: { id: "br-1", project_id: PROJECT } }, { id: "br-1", projectId: PROJECT }],
  listEndpoints: [endpoints, [{ id: ENDPOINT }]],
  listBranchEndpoints: [endpoints, [{ id: ENDPOINT }]],
  getEndpoint: [{ endpoint: wireEndpoint() }, { id: ENDPOINT }],
  createEndpoint: [change, { endpoint: { id: ENDPOINT }, operations: [{ id: OPERATION }] }],
  updateEndpoint: [change, { endpoint: { id: ENDPOINT } }],
  deleteEndpoint: [change, { gone: false, operations: [{ id: OPERATION }] }],
  suspendEndpoint: [change, { operations: [{ id: OPERATION }] }],
  startEndpoint: [change, { operations: [{ id: OPERATION }] }],
  getOperation: [{ operation: wireOperation() }, { id: OPERATION, status: "running" }],
  operationPages: [
    { operations: [wireOperation()], pagination: { cursor: "2025-01-01T00:00:00.5Z&x=é" } },
    [[{ id: OPERATION }]],
  ],
  listPreloadLibraries: [{ libraries: [{ library_name: "timescaledb", version: "2.17" }] }, ["timescaledb"]],
};

/** Makes a call with what is answered to it, or with another answer. */
async function make([name, args]: Call, status = 200, body: unknown = answers[name]?.[0]) {
  const used = await setUp((_, response) => answer(response, status, body));
  const call = used.api[name] as (...args: unknown[]) => Promise<unknown> | AsyncIterable<unknown>;
  return { ...used, call: async () => all(call(...args)) };
}

/** What a call comes to, or all that it gives one after the other. */
async function all(given: Promise<unknown> | AsyncIterable<unknown>): Promise<unknown> {
  if (given instanceof Promise) return given;
  const found: unknown[] = [];
  for await (const one of given) found.push(one);
  return found;
}

it.each(calls)("each call %s(%j): %s", async (...one) => {
  const { call, server } = await make(one);
  expect(await call()).toMatchObject(answers[one[0]]?.[1] as object);
  const seen = server.seen.at(-1);
  expect(`${seen?.method} ${seen?.url.replace("/api/v2", "")} ${seen?.body}`.trim()).toBe(one[2]);
  expect(seen?.headers["user-agent"]).toMatch(/^pulumi-pgcompute\/\S+$/);
});

it.each(calls)("the error of %s(%j) says what it was to do", async (...one) => {
  const { call } = await make(one, 401, {});
  await expect(call()).rejects.toThrow(`could not ${one[3]}: the platform answered 401`);
});

describe("what is not of the request", () => {
  const others = { [PROJECT]: "p-two", [ENDPOINT]: "ep-two", [OPERATION]: "op-two", "br-1": "br-two" };
  // Libraries are nobody's.
  const bound = calls.filter(([name, , url]) => url.includes(`/${PROJECT}`) && name !== "listPreloadLibraries");

  it.each(bound)("in the answer of %s: bad_answer, and left out of a list with one warning", async (...one) => {
    const asked = Object.entries(others).filter(([id]) => one[2].includes(`/${id}`));
    for (const [id, other] of asked) {
      const foreign = JSON.parse(JSON.stringify(answers[one[0]]?.[0]).replaceAll(`"${id}"`, `"${other}"`));
      const { call, warnings } = await make(one, 200, foreign);
      const [name = "", content] = Object.entries(foreign)[0] ?? [];
      if (!Array.isArray(content)) {
        const message = expect.stringContaining("was not asked for");
        await expect(call()).rejects.toMatchObject({ kind: "bad_answer", message });
        expect(warnings).toEqual([]);
      } else if (id === PROJECT) {
        for (let run = 0; run < 2; run += 1)
          expect([await call()].flat()).toMatchObject(one[0].endsWith("Pages") ? [[]] : []);
        expect(warnings).toEqual([expect.stringMatching(`1 of the ${name} .* ${PROJECT}`)]);
      }
    }
  });

  it.each(bound.filter(([, , request]) => !request.startsWith("GET")))(
    "of the operations in the answer of %s: bad_answer",
    async (...one) => {
      const operations = [wireOperation(), wireOperation({ endpoint_id: "ep-two" })];
      const { call } = await make(one, 200, { ...answers[one[0]]?.[0], operations });
      const message = expect.stringContaining("an operation of another endpoint");
      await expect(call()).rejects.toMatchObject({ kind: "bad_answer", message });
    },
  );

  it.each([{ id: "ep-two" }, { project_id: "p-two" }])(
    "of the endpoint %j in the answer of a delete that begins nothing: bad_answer",
    async (other) => {
      const body = { endpoint: wireEndpoint(other), operations: [] };
      const { call } = await make(["deleteEndpoint", [PROJECT, ENDPOINT], "", ""], 200, body);
      await expect(call()).rejects.toMatchObject({ kind: "bad_answer" });
    },
  );

  it("is looked for in every call that has a project", async () => {
    const { api } = await setUp(() => {});
    const ofNone = ["isThere", "listProjects", "listPreloadLibraries", "close"];
    const without = [...ofNone, "allOperations", "platformNow", "platformTime", "waitingFor", "withoutKey"];
    expect(Object.keys(api).sort()).toEqual([...bound.map(([name]) => name), ...without].sort());
  });
});

it("fails at a list of branches that has no end", async () => {
  let page = 0;
  const { api, server } = await setUp((_, response) => {
    page += 1;
    answer(response, 200, { branches: [{ id: `br-${page}`, project_id: PROJECT }], pagination: { next: `${page}` } });
  });
  await expect(api.listBranches(PROJECT)).rejects.toMatchObject({
    kind: "bad_answer",
    message:
      "could not list the branches of project p-one: the list has no end: 1000 pages were read, and there are more",
  });
  expect(server.seen).toHaveLength(1_000);
});

it("takes the delete of what is gone for done", async () => {
  const { api } = await setUp((_, response) => response.writeHead(204).end());
  expect(await api.deleteEndpoint(PROJECT, ENDPOINT)).toEqual({ gone: true, operations: [] });
});

it.each<[Partial<ApiOptions>, string]>([
  [{ baseUrl: "http://example.com/v2" }, "the base address cannot be used: plain http"],
  [{ baseUrl: "https://example.com" }, "the base address cannot be used: its path"],
  [{ apiKey: "" }, "the API key is empty"],
])("a client of %j is refused", (change, message) => {
  const options = { baseUrl: "https://example.com/v2", apiKey: "the-key", ...change };
  expect(() => createApi(options)).toThrow(message);
});

describe("interruption", () => {
  it("of one call leaves the others alone", async () => {
    const controller = new AbortController();
    const { api } = await setUp((_, response, index) => {
      if (index === 0) setImmediate(() => controller.abort());
      else answer(response, 200, { endpoints: [] });
    });
    const first = api.listEndpoints(PROJECT, { signal: controller.signal });
    await expect(first).rejects.toBeInstanceOf(CancelledError);
    expect(await api.listEndpoints(PROJECT)).toEqual([]);
  });

  it("by close ends everything at once, for good", async () => {
    const { api, server } = await setUp((_, __, index) => {
      if (index === 1) setImmediate(() => void api.close());
    });
    const calls = [api.listEndpoints(PROJECT), api.listBranches(PROJECT), api.createEndpoint(PROJECT, {})];
    for (const each of await Promise.allSettled(calls)) {
      expect(each).toMatchObject({ status: "rejected", reason: { kind: "cancelled" } });
    }
    await expect(api.listBranches(PROJECT)).rejects.toBeInstanceOf(CancelledError);
    await api.close();
    expect(server.seen.length).toBeLessThanOrEqual(3);
  });
});

async function setUp(handle: Handle): Promise<{ api: Api; server: RawServer; warnings: string[] }> {
  const server = await serve(handle);
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const api = createApi({ baseUrl: server.baseUrl, apiKey: "the-key", random: () => 0, onWarning });
  onTestFinished(() => api.close());
  return { api, server, warnings };
}
