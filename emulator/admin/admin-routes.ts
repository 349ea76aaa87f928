import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Fault } from "../faults/fault";
import { guardAdmin } from "../http/auth";
import type { Runtime } from "../http/runtime";
import { ApiError, notFound } from "../lib/errors";
import { validate } from "../requests/validate";
import type { Settings } from "../settings/settings";
import * as schema from "./admin-schema";
import type { EmulatorAdmin } from "./emulator-admin";

interface IdPath {
  Params: { id: string };
}

/** The admin calls over HTTP: each passes its checked body to the method of `EmulatorAdmin`. */
export function adminRoutes(app: FastifyInstance, runtime: Runtime, admin: EmulatorAdmin): void {
  app.addHook("onRequest", async (request) => guardAdmin(request, runtime));
  app.addHook("preValidation", async (request) => assertJson(request));
  listCalls(app);
  steeringRoutes(app, admin);
  platformRoutes(app, admin);
  app.setNotFoundHandler(() => {
    throw new ApiError(404, "", `no such admin call; GET ${app.prefix} lists them`);
  });
}

/** The address itself answers with its calls. */
function listCalls(app: FastifyInstance): void {
  const calls = new Set<string>();
  app.addHook("onRoute", ({ method, url }) => {
    if (method !== "HEAD") calls.add(`${method} ${url}`);
  });
  app.get("/", () => ({ calls: [...calls] }));
}

/** Calls for reset, clock, faults, log, counts, settings and refused connections. */
function steeringRoutes(app: FastifyInstance, admin: EmulatorAdmin): void {
  app.post("/reset", () => done(() => admin.reset()));
  app.get("/clock", () => clockAnswer(admin));
  app.post("/clock", (request) => {
    const { mode, at, advanceMs } = validate(schema.clockChange, request.body);
    if (mode !== undefined || at !== undefined) admin.setClock(mode ?? admin.clockMode(), at);
    if (advanceMs !== undefined) admin.advance(advanceMs);
    return clockAnswer(admin);
  });

  app.get("/faults", () => ({ faults: admin.faults() }));
  app.post("/faults", (request, reply) => {
    reply.code(201);
    return { id: admin.addFault(request.body as Fault) };
  });

  app.delete("/faults", () => done(() => admin.clearFaults()));
  app.delete<IdPath>("/faults/:id", (request) => {
    if (!admin.removeFault(request.params.id)) throw notFound("fault", request.params.id);
    return {};
  });

  app.get("/log", (request) => ({ log: admin.log(validate(schema.logQuery, request.query, "query")) }));
  app.delete("/log", () => done(() => admin.clearLog()));
  app.get("/counts", () => admin.counts());
  app.get("/settings", () => admin.settings());
  app.patch("/settings", (request) => admin.configure(request.body as Partial<Settings>));

  app.post("/refuse", (request, reply) => {
    const { forMs } = validate(schema.refusal, request.body);
    // Refusing connections cuts every open one, so this answer goes out first.
    reply.raw.once("finish", () => admin.refuseFor(forMs));
    return {};
  });
}

/** Calls that list the contents, and change them outside the API. */
function platformRoutes(app: FastifyInstance, admin: EmulatorAdmin): void {
  app.get("/state", (request) => admin.state(validate(schema.stateQuery, request.query, "query")));
  app.post("/projects", (request, reply) => {
    reply.code(201);
    return admin.seedProject(validate(schema.projectSeed, request.body));
  });

  app.get<IdPath>("/projects/:id", (request) => admin.project(request.params.id));
  app.delete<IdPath>("/projects/:id", (request) => done(() => admin.deleteProject(request.params.id)));
  app.post<IdPath>("/projects/:id/branches", (request, reply) => {
    reply.code(201);
    return { branch: admin.seedBranch(request.params.id, validate(schema.branchSeed, request.body)) };
  });

  app.patch<{ Params: { id: string; branch: string } }>("/projects/:id/branches/:branch", ({ params, body }) => ({
    branch: admin.changeBranch(params.id, params.branch, validate(schema.branchDrift, body)),
  }));

  app.delete<{ Params: { id: string; branch: string } }>("/projects/:id/branches/:branch", (request) =>
    done(() => admin.dropBranch(request.params.id, request.params.branch)),
  );
  app.post<IdPath>("/projects/:id/endpoints", (request, reply) => {
    reply.code(201);
    return { endpoint: admin.seedEndpoint(request.params.id, validate(schema.endpointSeed, request.body)) };
  });

  app.post<IdPath>("/projects/:id/fleet", (request, reply) => {
    reply.code(201);
    return { endpointIds: admin.seedFleet(request.params.id, validate(schema.fleetSeed, request.body)) };
  });

  app.post<IdPath>("/projects/:id/operations", (request, reply) => {
    reply.code(201);
    const body = validate(schema.operationSeed, request.body);
    return { operation: admin.startOperation({ ...body, projectId: request.params.id }) };
  });

  app.get<IdPath>("/endpoints/:id", (request) => ({ endpoint: admin.endpoint(request.params.id) }));
  app.get<IdPath>("/endpoints/:id/connection-strings", (request) => admin.connectionStrings(request.params.id));
  app.get<IdPath>("/endpoints/:id/sessions", (request) => ({ sessions: admin.sessions(request.params.id) }));
  app.patch<IdPath>("/endpoints/:id", (request) => ({
    endpoint: admin.changeEndpoint(request.params.id, validate(schema.endpointDrift, request.body)),
  }));

  app.delete<IdPath>("/endpoints/:id", (request) => done(() => admin.dropEndpoint(request.params.id)));
  app.post<IdPath>("/endpoints/:id/connect", (request) => {
    const body = validate(schema.connection, request.body);
    return { endpoint: admin.connect({ ...body, endpointId: request.params.id }) };
  });

  app.post<IdPath>("/endpoints/:id/disconnect", (request) => {
    const { connections } = validate(schema.connection, request.body);
    const some = connections !== undefined && { connections };
    return { endpoint: admin.disconnect({ endpointId: request.params.id, ...some }) };
  });
}

function clockAnswer(admin: EmulatorAdmin) {
  return { mode: admin.clockMode(), now: admin.now() };
}

function done(work: () => void): Record<string, never> {
  work();
  return {};
}

// Refuses forms, which a page of another origin could send without a preflight.
function assertJson(request: FastifyRequest): void {
  const type = request.headers["content-type"];
  if (type !== undefined && !type.startsWith("application/json")) {
    throw new ApiError(415, "", "admin calls take JSON only: send the header content-type: application/json");
  }
}
