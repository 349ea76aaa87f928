import { expect, it } from "vitest";
import { DROPPED } from "../../../../provider/endpoint/input-notes";
import { SECRET_INPUT } from "../../../../provider/pulumi/dynamic/hidden";
import { createDynamicProvider } from "../../../../provider/pulumi/dynamic/provider";
import { secret } from "../../../support/messages";
import { named, useDynamicHost } from "./support";

const use = async () => {
  const { projectId, admin, begin } = await useDynamicHost();
  return { admin, place: { ...named, projectId, branchId: admin.seedBranch(projectId).id, type: "read_write" }, begin };
};

it("a secret that the program drops and the platform keeps is in no error, and sealed in the state", async () => {
  const { admin, place, begin } = await use();
  const pgSettings = { "app.token": "correct-horse" };
  const inputs = { ...place, pgSettings, [SECRET_INPUT]: ["pgSettings"] };
  const { id, outs } = await begin(createDynamicProvider).create(inputs);
  admin.configure({ ignoredFields: ["settings"] });
  // The engine shows this host every value in the clear.
  const state = { ...outs, pgSettings };
  const error: unknown = await begin(createDynamicProvider)
    .update(id, state, { ...place, [DROPPED]: ["pgSettings"] })
    .catch((reason: unknown) => reason);
  const { message, reasons, properties } = error as { message: string; reasons: string[]; properties: unknown };
  expect(message).toContain("pgSettings was sent as {} and is shown as");
  expect(JSON.stringify([message, reasons])).not.toContain("correct-horse");
  expect(properties).toMatchObject({ pgSettings: secret(pgSettings), [SECRET_INPUT]: ["pgSettings"] });
});

it("a secret size that the program drops, and that stays, is sealed after an update of something else", async () => {
  const { place, begin } = await use();
  const { id, outs } = await begin(createDynamicProvider).create({ ...place, sizeCu: 2, [SECRET_INPUT]: ["sizeCu"] });
  const state = { ...outs, sizeCu: 2, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2, maxConnections: 901 };
  const news = { ...place, suspendTimeoutSeconds: 600, [DROPPED]: ["sizeCu"] };
  const { outs: updated } = await begin(createDynamicProvider).update(id, state, news);
  expect(updated).toMatchObject({ sizeCu: secret(2), maxConnections: secret(901), [SECRET_INPUT]: ["sizeCu"] });
  const shown = { ...updated, ...state, [SECRET_INPUT]: updated[SECRET_INPUT] };
  const { props } = await begin(createDynamicProvider).read(id, shown);
  expect(props).toMatchObject({ maxConnections: secret(901) });
});

it("a secret place of before is in no message about the one that takes its place", async () => {
  const { admin, place, begin } = await use();
  const provider = begin(createDynamicProvider);
  const inputs = { ...place, [SECRET_INPUT]: ["branchId"] };
  await provider.create(inputs);
  const taken = admin.seedBranch(place.projectId).id;
  admin.seedEndpoint(place.projectId, { branch_id: taken });
  const { failures } = await begin(createDynamicProvider).check(inputs, { ...inputs, branchId: taken });
  expect(failures).not.toEqual([]);
  expect(JSON.stringify(failures)).not.toContain(place.branchId);
});
