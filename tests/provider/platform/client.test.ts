import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Api } from "../../../provider/platform/api";
import { type ApiOptions, createApi } from "../../../provider/platform/client";
import { CancelledError, ConfigurationError } from "../../../provider/platform/errors";
import { wireEndpoint, wireOperation } from "../../support/samples";
import { answer, type Handle, type RawServer, serve } from "./support/raw-server";

// Specification, sections 4.2 and 4.4.

const PROJECT = "p-one";
const ENDPOINT = "ep-calm-sea-1";
const OPERATION = "a07f8772-1877-4da9-a939-3a3ae62d1d8d";
const change = { endpoint: wireEndpoint(), operations: [wireOperation()] };

const calls: [string, (api: Api) => Promise<unknown>, string, object, unknown][] = [
  [
    "listProjects, to list the projects",
    (api) => api.listProjects(),
    "GET /projects?limit=100",
    { projects: [{ id: PROJECT, name: "One" }], pagination: { cursor: PROJECT } },
    [{ id: PROJECT, name: "One" }],
  ],
  [
    "listProjects of an organisation, to list the projects",
    (api) => api.listProjects("org-1"),
    "GET /projects?limit=100&org_id=org-1",
    { projects: [] },
    [],
  ],
  [
    "getProject, to read project p-one",
    (api) => api.getProject(PROJECT),
    "GET /projects/p-one",
    {
      project: {
        ...{ id: PROJECT, active_time_seconds: 10, compute_time_seconds: 10, written_data_bytes: 1 },
        settings: { quota: { active_time_seconds: 10, compute_time_seconds: 11, written_data_bytes: 0 } },
      },
    },
    { id: PROJECT, spent: ["active time"] },
  ],
  [
    "listBranches, to list the branches of project p-one",
    (api) => api.listBranches(PROJECT),
    "GET /projects/p-one/branches",
    { branches: [{ id: "br-1", project_id: PROJECT }] },
    [{ id: "br-1", projectId: PROJECT }],
  ],
  [
    "getBranch, to read branch br-1 of project p-one",
    (api) => api.getBranch(PROJECT, "br-1"),
    "GET /projects/p-one/branches/br-1",
    { branch: { id: "br-1", project_id: PROJECT } },
    { id: "br-1", projectId: PROJECT },
  ],
  [
    "listEndpoints, to list the endpoints of project p-one",
    (api) => api.listEndpoints(PROJECT),
    "GET /projects/p-one/endpoints",
    { endpoints: [wireEndpoint()] },
    [{ id: ENDPOINT }],
  ],
  [
    "listBranchEndpoints, to list the endpoints of branch br-1 of project p-one",
    (api) => api.listBranchEndpoints(PROJECT, "br-1"),
    "GET /projects/p-one/branches/br-1/endpoints",
    { endpoints: [wireEndpoint()] },
    [{ id: ENDPOINT }],
  ],
  [
    `getEndpoint, to read endpoint ${ENDPOINT} of project p-one`,
    (api) => api.getEndpoint(PROJECT, ENDPOINT),
    `GET /projects/p-one/endpoints/${ENDPOINT}`,
    { endpoint: wireEndpoint() },
    { id: ENDPOINT },
  ],
  [
    "createEndpoint, to create an endpoint on branch br-1 of project p-one",
    (api) => api.createEndpoint(PROJECT, { branchId: "br-1", type: "read_write" }),
    'POST /projects/p-one/endpoints {"endpoint":{"branch_id":"br-1","type":"read_write"}}',
    change,
    { endpoint: { id: ENDPOINT }, operations: [{ id: OPERATION }] },
  ],
  [
    `updateEndpoint, to update endpoint ${ENDPOINT} of project p-one`,
    (api) => api.updateEndpoint(PROJECT, ENDPOINT, { disabled: true }),
    `PATCH /projects/p-one/endpoints/${ENDPOINT} {"endpoint":{"disabled":true}}`,
    change,
    { endpoint: { id: ENDPOINT } },
  ],
  [
    `deleteEndpoint, to delete endpoint ${ENDPOINT} of project p-one`,
    (api) => api.deleteEndpoint(PROJECT, ENDPOINT),
    `DELETE /projects/p-one/endpoints/${ENDPOINT}`,
    change,
    { gone: false, operations: [{ id: OPERATION }] },
  ],
  [
    `suspendEndpoint, to suspend endpoint ${ENDPOINT} of project p-one`,
    (api) => api.suspendEndpoint(PROJECT, ENDPOINT),
    `POST /projects/p-one/endpoints/${ENDPOINT}/suspend`,
    change,
    { operations: [{ id: OPERATION }] },
  ],
  [
    `startEndpoint, to start endpoint ${ENDPOINT} of project p-one`,
    (api) => api.startEndpoint(PROJECT, ENDPOINT),
    `POST /projects/p-one/endpoints/${ENDPOINT}/start`,
    change,
    { operations: [{ id: OPERATION }] },
  ],
  [
    `getOperation, to read operation ${OPERATION} of project p-one`,
    (api) => api.getOperation(PROJECT, OPERATION),
    `GET /projects/p-one/operations/${OPERATION}`,
    { operation: wireOperation() },
    { id: OPERATION, status: "running" },
  ],
  [
    "listOperations, to list the operations of project p-one",
    (api) => api.listOperations(PROJECT, { limit: 2, cursor: "2025-01-01T00:00:00.5Z&x=é" }),
    "GET /projects/p-one/operations?limit=2&cursor=2025-01-01T00%3A00%3A00.5Z%26x%3D%C3%A9",
    { operations: [wireOperation()], pagination: { cursor: "c" } },
    { items: [{ id: OPERATION }], cursor: "c" },
  ],
  [
    "listPreloadLibraries, to list the preload libraries of project p-one",
    (api) => api.listPreloadLibraries(PROJECT),
    "GET /projects/p-one/available_preload_libraries",
    { libraries: [{ library_name: "timescaledb", version: "2.17" }] },
    ["timescaledb"],
  ],
];

describe("each call", () => {
  it.each(calls)("%s", async (_, work, request, body, expected) => {
    const { api, server } = await setUp((_, response) => answer(response, 200, body));
    expect(await work(api)).toMatchObject(expected as object);
    const [seen] = server.seen;
    expect(`${seen?.method} ${seen?.url.replace("/api/v2", "")} ${seen?.body}`.trim()).toBe(request);
    expect(seen?.headers["user-agent"]).toMatch(/^pulumi-pgcompute\/\S+$/);
  });
});

it.each(calls)("the error of %s says what it was to do", async (name, work) => {
  const { api } = await setUp((_, response) => answer(response, 401, {}));
  await expect(work(api)).rejects.toThrow(`could not ${name.split(", to ")[1]}: the platform answered 401`);
});

describe("what is not of the request", () => {
  const others = { [PROJECT]: "p-two", [ENDPOINT]: "ep-two", [OPERATION]: "op-two", "br-1": "br-two" };
  // Libraries are nobody's.
  const inProjects = calls.filter(
    ([name, , request]) => request.includes(`/${PROJECT}`) && !name.startsWith("listPreloadLibraries"),
  );

  it.each(inProjects)(
    "in the answer of %s: bad_answer, and left out of a list with one warning",
    async (_, work, request, body) => {
      const asked = Object.entries(others).filter(([id]) => request.includes(`/${id}`));
      for (const [id, other] of asked) {
        const foreign = JSON.parse(JSON.stringify(body).replaceAll(`"${id}"`, `"${other}"`));
        const { api, warnings } = await setUp((_, response) => answer(response, 200, foreign));
        const [name = "", content] = Object.entries(foreign)[0] ?? [];
        if (!Array.isArray(content)) {
          await expect(work(api)).rejects.toMatchObject({
            kind: "bad_answer",
            message: expect.stringContaining("was not asked for"),
          });
          expect(warnings).toEqual([]);
        } else if (id === PROJECT) {
          for (let run = 0; run < 2; run += 1)
            expect([await work(api)].flat()).toMatchObject(name === "operations" ? [{ items: [] }] : []);
          expect(warnings).toEqual([expect.stringMatching(`1 of the ${name} .* ${PROJECT}`)]);
        }
      }
    },
  );

  it.each(inProjects.filter(([, , request]) => !request.startsWith("GET")))(
    "of the operations in the answer of %s: bad_answer",
    async (_, work, __, body) => {
      const operations = [wireOperation(), wireOperation({ endpoint_id: "ep-two" })];
      const { api } = await setUp((_, response) => answer(response, 200, { ...(body as object), operations }));
      await expect(work(api)).rejects.toMatchObject({
        kind: "bad_answer",
        message: expect.stringContaining("endpoint_id"),
      });
    },
  );

  it("leaves what is of the request in the list", async () => {
    const endpoints = [
      wireEndpoint({ project_id: "p-two", id: "ep-two" }),
      wireEndpoint(),
      wireEndpoint({ project_id: 7 }),
    ];
    const { api } = await setUp((_, response) => answer(response, 200, { endpoints }));
    expect(await api.listEndpoints(PROJECT)).toMatchObject([{ id: ENDPOINT, projectId: PROJECT }]);
  });

  it("is looked for in every call that has a project", async () => {
    const { api } = await setUp(() => {});
    const ofNone = ["isThere", "listProjects", "listPreloadLibraries", "close"];
    const without = [...ofNone, "allOperations", "limitUsed", "platformTime", "waitingFor"];
    expect(Object.keys(api).sort()).toEqual([...inProjects.map(([name]) => name.split(",")[0]), ...without].sort());
  });
});

it("takes the delete of what is gone for done", async () => {
  const { api } = await setUp((_, response) => response.writeHead(204).end());
  expect(await api.deleteEndpoint(PROJECT, ENDPOINT)).toEqual({ gone: true, operations: [] });
});

describe("createApi", () => {
  it.each<[Partial<ApiOptions>, string]>([
    [{ baseUrl: "http://example.com/v2" }, "baseUrl"],
    [{ baseUrl: "https://example.com" }, "baseUrl"],
    [{ apiKey: "" }, "apiKey"],
  ])("refuses %j", (change, property) => {
    const options = { baseUrl: "https://example.com/v2", apiKey: "the-key", ...change };
    try {
      createApi(options);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toMatchObject({ property });
    }
  });
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

  it("leaves no listener on the caller's signal, and warns of none", async () => {
    const warnings: unknown[] = [];
    const warn = (warning: unknown) => warnings.push(warning);
    process.on("warning", warn);
    const { api } = await setUp((_, response) => answer(response, 200, { endpoints: [] }));
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 100 }, () => api.listEndpoints(PROJECT, { signal })));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", warn);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(warnings).toEqual([]);
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
