import { expect, it } from "vitest";
import { DROPPED } from "../../../../provider/endpoint/input-notes";
import { UNKNOWN_TEXT } from "../../../../provider/lib/unknown";
import { SECRET_INPUT, TIMEOUTS_INPUT, timeoutOf, URN_INPUT } from "../../../../provider/pulumi/dynamic/hidden";
import { createProvider, type DynamicSession, openSession } from "../../../../provider/pulumi/dynamic/provider";
import { endpointKind, fleetKind } from "../../../../provider/pulumi/resource";
import { secret } from "../../../support/messages";
import { useDynamicHost } from "./support";

type Values = Record<string, unknown>;

const urnOf = (kind: string, name: string) => `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/pgcompute:${kind}::${name}`;

const ofEndpoints = (session: DynamicSession) => createProvider(session, endpointKind);
const ofFleets = (session: DynamicSession) => createProvider(session, fleetKind);

/** The input in which the SDK says whose endpoint it is. */
const named = { [URN_INPUT]: urnOf("Endpoint", "main") };

it.each(["Endpoint", "EndpointFleet"])(
  "accepts what ignoreChanges puts back after every refresh, though a Read is given no inputs (%s)",
  async (kind) => {
    const { projectId, admin, place: newPlace, begin: open } = await useDynamicHost();
    const isFleet = kind === "EndpointFleet";
    const begin = () => open(isFleet ? ofFleets : ofEndpoints);
    const place = newPlace();
    const program = (sizeCu: number, more: Values = {}): Values => {
      const endpoint = { ...place, sizeCu, ...more };
      return { [URN_INPUT]: urnOf(kind, "main"), ...(isFleet ? { endpoints: { a: endpoint } } : endpoint) };
    };
    const first = await begin().check({}, program(1));
    const { id, outs } = await begin().create(first.inputs);
    const endpointId = () =>
      admin.project(projectId).endpoints.find(({ branch_id }) => branch_id === place.branchId)?.id;
    admin.changeEndpoint(endpointId() ?? "", { autoscaling_limit_min_cu: 8, autoscaling_limit_max_cu: 8 });

    let state: Values = outs;
    for (const suspendTimeoutSeconds of [undefined, 300, 300, 600]) {
      const found = await begin().read(id, state);
      const provider = begin();
      const news = program(8, suspendTimeoutSeconds ? { suspendTimeoutSeconds } : {});
      const checked = await provider.check(found.inputs, news);
      expect(checked.failures).toEqual([]);
      state = found.props;
      const { changes } = await provider.diff(id, state, checked.inputs);
      if (changes) ({ outs: state } = await provider.update(id, state, checked.inputs));
    }
    const live = () => admin.endpoint(endpointId() ?? "");
    expect(live()).toMatchObject({ autoscaling_limit_max_cu: 8, suspend_timeout_seconds: 600 });
    // Without ignoreChanges, the program's own size is put back.
    const provider = begin();
    const put = await provider.check((await provider.read(id, state)).inputs, program(1));
    await provider.update(id, state, put.inputs);
    expect(live()).toMatchObject({ autoscaling_limit_max_cu: 1 });
  },
);

// What they bound: tests/engine/cases/half-way.test.ts.
it.each([
  ["an endpoint", ofEndpoints],
  ["a fleet", ofFleets],
] as const)(
  "customTimeouts of %s reach the state by an update that sends nothing, where only that of deletes changes",
  async (what, kind) => {
    const { admin, place, begin } = await useDynamicHost();
    const provider = begin(kind);
    const endpoint = place();
    const none: Values = { ...named, ...(what === "a fleet" ? { endpoints: { main: endpoint } } : endpoint) };
    const timed = (create: string, remove: string) => ({ ...none, [TIMEOUTS_INPUT]: { create, delete: remove } });
    const { id, outs } = await provider.create(timed("5m", "5m"));
    admin.clearLog();
    expect(await provider.diff(id, outs, timed("9m", "300s"))).toMatchObject({ changes: false });
    const longer = timed("5m", "1h");
    expect(await provider.diff(id, outs, longer)).toMatchObject({ changes: true, replaces: [] });
    const updated = await provider.update(id, outs, longer);
    expect(timeoutOf(updated.outs, "delete")).toBe(3_600_000);
    expect(await provider.diff(id, updated.outs, longer)).toMatchObject({ changes: false });
    expect(await provider.diff(id, updated.outs, none)).toMatchObject({ changes: true });
    expect((await provider.update(id, updated.outs, none)).outs).not.toHaveProperty(TIMEOUTS_INPUT);
    expect(admin.log().filter(({ method }) => method !== "GET")).toEqual([]);
  },
);

it("endpoints and fleets of a program have one account, and are both told of a configuration that cannot be used", () => {
  const session = openSession(undefined, {});
  const [endpoints, fleets] = [ofEndpoints(session), ofFleets(session)];
  const configured = (provider: typeof endpoints, rawConfig: Record<string, string>) => {
    provider.configure({ config: { get: () => undefined, rawConfig } });
    return session;
  };
  const accountOf = (provider: typeof endpoints, apiKey: string) =>
    configured(provider, { "pgcompute:apiKey": apiKey }).contextFor(urnOf("Endpoint", "main"), []).account;
  const first = accountOf(endpoints, "napi_first_key_of_the_two");
  expect(accountOf(fleets, "napi_first_key_of_the_two")).toBe(first);
  expect(accountOf(fleets, "napi_second_key_of_the_two")).not.toBe(first);
  for (const provider of [endpoints, fleets]) {
    const { failures } = configured(provider, { "pgcompute:apiKy": "napi_key_under_a_wrong_name" });
    expect(failures.map(({ reason }) => reason).join()).toContain("apiKy");
  }
});

it.each([{ branchId: UNKNOWN_TEXT }, { branchId: "br-a", sizeCu: "large" }, { branchId: "br-a", sizecu: 1 }])(
  "makes no call of inputs that cannot be used: %j",
  async (wrong) => {
    const { projectId, admin, begin } = await useDynamicHost();
    const provider = begin(ofEndpoints);
    const inputs = { ...named, projectId, type: "read_write", ...wrong };
    const text = expect.stringContaining("these inputs");
    await expect(provider.create(inputs)).rejects.toMatchObject({ message: text });
    await expect(provider.update(`${projectId}/ep-a`, inputs, inputs)).rejects.toMatchObject({ message: text });
    expect(admin.counts().total).toBe(0);
  },
);

it("refuses a resource that does not say its URN: nobody could tell it from another one", async () => {
  const { place, begin } = await useDynamicHost();
  const message = expect.stringContaining("does not say its URN (__urn)");
  await expect(begin(ofEndpoints).check({}, place())).rejects.toMatchObject({ message });
});

it("a secret that the program drops and the platform keeps is in no error, and sealed in the state", async () => {
  const { admin, place, begin } = await useDynamicHost();
  const pgSettings = { "app.token": "correct-horse" };
  const inputs = { ...named, ...place(), pgSettings, [SECRET_INPUT]: ["pgSettings"] };
  const { id, outs } = await begin(ofEndpoints).create(inputs);
  admin.configure({ ignoredFields: ["settings"] });
  // The engine shows this host every value in the clear.
  const state = { ...outs, pgSettings };
  const error: unknown = await begin(ofEndpoints)
    .update(id, state, { ...inputs, pgSettings: undefined, [SECRET_INPUT]: undefined, [DROPPED]: ["pgSettings"] })
    .catch((reason: unknown) => reason);
  const { message, reasons, properties } = error as { message: string; reasons: string[]; properties: unknown };
  expect(message).toContain("does not show it: pgSettings, whose value the program keeps secret");
  expect(JSON.stringify([message, reasons])).not.toContain("correct-horse");
  expect(properties).toMatchObject({ pgSettings: secret(pgSettings), [SECRET_INPUT]: ["pgSettings"] });
});

it("a secret size that the program drops, and that stays, is sealed after an update of something else", async () => {
  const { place, begin } = await useDynamicHost();
  const inputs = { ...named, ...place() };
  const { id, outs } = await begin(ofEndpoints).create({ ...inputs, sizeCu: 2, [SECRET_INPUT]: ["sizeCu"] });
  const state = { ...outs, sizeCu: 2, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2, maxConnections: 901 };
  const news = { ...inputs, suspendTimeoutSeconds: 600, [DROPPED]: ["sizeCu"] };
  const { outs: updated } = await begin(ofEndpoints).update(id, state, news);
  expect(updated).toMatchObject({ sizeCu: secret(2), maxConnections: secret(901), [SECRET_INPUT]: ["sizeCu"] });
  const shown = { ...updated, ...state, [SECRET_INPUT]: updated[SECRET_INPUT] };
  const { props } = await begin(ofEndpoints).read(id, shown);
  expect(props).toMatchObject({ maxConnections: secret(901) });
});

it("a secret place of before is in no message about the one that takes its place", async () => {
  const { admin, place, begin } = await useDynamicHost();
  const inputs = { ...named, ...place(), [SECRET_INPUT]: ["branchId"] };
  const { id, outs } = await begin(ofEndpoints).create(inputs);
  const { projectId, branchId: taken } = place();
  admin.seedEndpoint(projectId, { branch_id: taken });
  const endpoints = begin(ofEndpoints);
  const { inputs: news } = await endpoints.check(inputs, { ...inputs, branchId: taken });
  const error = await endpoints.diff(id, outs, news).catch((reason: unknown) => reason);
  expect(error).toHaveProperty("message", expect.stringContaining("has the read-write endpoint"));
  expect(JSON.stringify(error)).not.toContain(inputs.branchId);
});

it("a secret size of before is in nothing that a comparison says, though the program now says one in the clear", async () => {
  const { place, begin } = await useDynamicHost();
  const inputs = { ...named, ...place(), sizeCu: 2 };
  const { id, outs } = await begin(ofEndpoints).create({ ...inputs, [SECRET_INPUT]: ["sizeCu"] });
  // The engine shows this host every value in the clear.
  const state = { ...outs, sizeCu: 2, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2, maxConnections: 901 };
  const said: string[] = [];
  const say = (message: string) => void said.push(message);
  const provider = begin((session) => {
    const contextFor: DynamicSession["contextFor"] = (...given) => ({
      ...session.contextFor(...given),
      reporter: { info: say, warn: say, status: say },
    });
    return ofEndpoints(Object.assign(Object.create(session), { contextFor }));
  });
  await provider.diff(id, state, { ...inputs, sizeCu: 4 });
  expect(said.join("\n")).toContain("restarts the endpoint");
  expect(said.join("\n")).not.toMatch(/\b[0-9.]+ (CU|GB)\b|max_connections \d|->/);
});

it("what the program says wrongly is told without its secrets where the configuration cannot be used either", async () => {
  const provider = ofEndpoints(openSession(undefined, {}));
  provider.configure({
    config: { get: () => undefined, rawConfig: { "pgcompute:apiKy": "napi_key_under_a_wrong_name" } },
  });
  const inputs = { ...named, projectId: "shop-1", branchId: "br-a", type: "rw", [SECRET_INPUT]: ["type"] };
  const { failures } = await provider.check({}, inputs);
  const reasons = failures.map(({ reason }) => reason).join("\n");
  expect(reasons).toContain("apiKy");
  expect(reasons).toMatch(/^type: the value is not accepted/m);
  expect(reasons).not.toContain('"rw"');
});
