import { Server } from "@grpc/grpc-js";
import { ResourceStatusService } from "@pulumi/pulumi/proto/resource_status_grpc_pb";
import {
  type PublishViewStepsRequest,
  PublishViewStepsResponse,
  ViewStep,
} from "@pulumi/pulumi/proto/resource_status_pb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainOf, secret } from "../../support/messages";
import { type Checked, type Created, listen, useService } from "../pulumi/plugin/support/open-service";

type Values = Record<string, unknown>;

const service = useService();
const engine = new Server();
/** The rows that a preview has published, by name. */
const rows = new Map<string, Values>();
let resourceStatusAddress = "";
let runs = 0;

beforeAll(async () => {
  engine.addService(ResourceStatusService, {
    publishViewSteps: (
      { request }: { request: PublishViewStepsRequest },
      callback: (error: null, answer: PublishViewStepsResponse) => void,
    ) => {
      for (const step of request.getStepsList()) rows.set(step.getName(), plainOf(step) as Values);
      callback(null, new PublishViewStepsResponse());
    },
  } as never);
  resourceStatusAddress = `127.0.0.1:${await listen(engine)}`;
  await service.configure();
});

afterAll(() => engine.forceShutdown());

const branch = () => service.place().branchId;

/** Previews the create of a fleet, does it, and previews its change; gives what an engine hears of it. */
async function previewed(handshake: Values | undefined, target: Values, leaving: unknown = branch()) {
  const { projectId } = service.emulator;
  runs += 1;
  const urn = `urn:pulumi:dev::test::pgcompute:index:EndpointFleet::previews-${runs}`;
  if (handshake) await service.call("handshake", handshake);
  rows.clear();
  service.lines.length = 0;
  const first = { projectId, endpoints: { stays: { branchId: branch() }, goes: { branchId: leaving } } };
  const { inputs } = await service.call<Checked>("check", { urn, news: first });
  await service.call("create", { urn, properties: inputs, preview: true, ...target });
  const created = [...rows.keys()];
  const made = await service.call<Created>("create", { urn, properties: inputs, ...target });
  rows.clear();
  const second = {
    projectId,
    endpoints: { stays: { ...first.endpoints.stays, sizeCu: 1 }, comes: { branchId: branch() } },
  };
  const change = await service.changeOf(urn, { ...made, inputs }, second);
  const diff = await service.call<{ changes: number; detaileddiffMap: Values }>("diff", change);
  await service.call("update", { ...change, preview: true, ...target });
  const updated = [...rows.keys()];
  const text = JSON.stringify([...rows.values()]);
  rows.clear();
  await service.call("update", { ...change, ...target });
  expect([...rows.keys()]).toEqual([]);
  return {
    created,
    updated,
    text,
    paths: Object.keys(diff.detaileddiffMap).sort(),
    said: service.lines.map(({ message }) => message),
  };
}

const paths = ['endpoints["comes"]', 'endpoints["goes"]', 'endpoints["stays"].sizeCu'];
const counts = "will create 1 of 3 members (comes), change 1 (stays) and delete 1 (goes)";

describe("a preview of a fleet", () => {
  it.each([
    ["says in its handshake that it has none", { supportsViews: false }, () => ({ resourceStatusAddress })],
    ["says nothing of them in its handshake", {}, () => ({})],
    ["has them, and no place for them", { supportsViews: true }, () => ({})],
    ["does not answer where they go", { supportsViews: true }, () => ({ resourceStatusAddress: "127.0.0.1:1" })],
    ["does not know the call", { supportsViews: true }, () => ({ resourceStatusAddress: service.address })],
  ])("says what it does in counts and in the diff where the engine %s", async (_, handshake, target) => {
    const seen = await previewed(handshake, target());
    expect([seen.created, seen.updated]).toEqual([[], []]);
    expect(seen.paths).toEqual(paths);
    expect(seen.said).toContain(counts);
  });

  it("tells what is taken over as it is, and what of that is changed, from what is created", async () => {
    const { projectId, admin } = service.emulator;
    const taken = () => ({ branchId: admin.seedEndpoint(projectId, { branch_id: branch() }).branch_id });
    const endpoints = {
      "as-it-is": { ...taken(), adoptExisting: true },
      changed: { ...taken(), adoptExisting: true, sizeCu: 1 },
      made: { branchId: branch(), adoptExisting: true },
    };
    const urn = "urn:pulumi:dev::test::pgcompute:index:EndpointFleet::taking";
    // A run of its own, which has no list yet.
    await service.configure();
    await service.call("handshake", { supportsViews: true });
    rows.clear();
    const { inputs } = await service.call<Checked>("check", { urn, news: { projectId, endpoints } });
    await service.call("create", { urn, properties: inputs, preview: true, resourceStatusAddress });
    const { Op } = ViewStep;
    expect(Object.fromEntries([...rows].map(([name, { op }]) => [name, op]))).toEqual({
      "taking/as-it-is": Op.IMPORT,
      "taking/changed": Op.UPDATE,
      "taking/made": Op.CREATE,
    });
  });

  it("has rows for what up does to imported members, of which only the inputs tell what the program has said", async () => {
    const { projectId, admin } = service.emulator;
    const ids = [600, 300, 300].map(
      (seconds) => admin.seedEndpoint(projectId, { branch_id: branch(), suspend_timeout_seconds: seconds }).id,
    );
    const urn = "urn:pulumi:dev::test::pgcompute:index:EndpointFleet::imported";
    await service.configure();
    await service.call("handshake", { supportsViews: true });
    const id = `${projectId}/drops=${ids[0]},waits=${ids[1]},grows=${ids[2]}`;
    const read = await service.call<Created>("read", { urn, id });
    const [drops, waits, grows] = ids.map((one) => ({ branchId: admin.endpoint(one).branch_id }));
    const program = (dropping: Values, growing: Values) => ({
      projectId,
      endpoints: {
        drops: { ...drops, ...dropping },
        waits: { ...waits, restartTrigger: "once" },
        grows: { ...grows, ...growing },
      },
    });
    const same = await service.changeOf(urn, read, program({ suspendTimeoutSeconds: 600 }, {}));
    expect(await service.call("diff", same)).toMatchObject({ changes: 1 });
    const change = await service.changeOf(urn, { ...read, inputs: same.news }, program({}, { sizeCu: 2 }));
    await service.call("diff", change);
    rows.clear();
    await service.call("update", { ...change, preview: true, resourceStatusAddress });
    expect([...rows.keys()].sort()).toEqual(["imported/drops", "imported/grows"]);
  });

  it("shows no secret of a member that goes", async () => {
    const branchId = branch();
    const seen = await previewed({ supportsViews: true }, { resourceStatusAddress }, secret(branchId));
    expect(seen.updated).toHaveLength(3);
    const goes = JSON.parse(seen.text).find(({ name }: Values) => String(name).endsWith("/goes"));
    expect(goes).toMatchObject({ new: { inputs: { branchId: secret(branchId) } } });
  });
});
