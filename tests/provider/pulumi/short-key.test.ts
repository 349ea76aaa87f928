import { expect, it } from "vitest";
import { createProvider, openSession } from "../../../provider/pulumi/dynamic/provider";
import { endpointKind } from "../../../provider/pulumi/resource";
import { runCommand } from "../../cli/support/open-shell";
import { useBench } from "../../support/bench";
import { type Checked, useService } from "./plugin/support/open-service";

/** A key that is part of the project's name, which the platform tells in every answer. */
const KEY = "harbor";
const PROJECT = "quiet-harbor-12345678";
const service = useService({ apiKey: KEY });
const urn = "urn:pulumi:dev::test::pgcompute:index:Endpoint::main";

it("a short key is in no text of the plugin, and in the values as the platform tells them", async () => {
  await service.configure();
  const news = { ...service.place(), projectId: PROJECT, name: "quiet-harbor", type: "read_write" };
  const { failures } = await service.call<Checked>("check", { urn, news: { ...news, sizeCu: 1_000 } });
  expect(failures.map(({ reason }) => reason).join()).not.toContain(KEY);
  const { name: _, ...inputs } = news;
  const created = await service.call<{ id: string; properties: object }>("create", { urn, properties: inputs });
  expect(created).toMatchObject({ id: expect.stringContaining(PROJECT), properties: { projectId: PROJECT } });
  const failed = service.call("create", { urn: `${urn}-2`, properties: { ...inputs, branchId: "br-none" } });
  await expect(failed).rejects.toThrow(/quiet-\[API key\]/);
  await service.heard();
  expect(JSON.stringify(service.lines)).not.toContain(KEY);
});

it("a short key is in no text of the dynamic host", async () => {
  const { url, apiKey } = service.emulator;
  const rawConfig: Record<string, string> = { "pgcompute:baseUrl": url, "pgcompute:apiKey": apiKey };
  const provider = createProvider(openSession(undefined, {}), endpointKind);
  provider.configure({ config: { get: (key) => rawConfig[key], rawConfig } });
  const read = provider.read(`${PROJECT}/ep-none`, { __urn: urn, projectId: PROJECT, endpointId: "ep-none" });
  const told = await read.then(JSON.stringify, String);
  expect(told.replaceAll(`${PROJECT}/ep-none`, "")).not.toContain(KEY);
  const created = provider.create({ __urn: urn, projectId: PROJECT, branchId: "br-none" });
  await expect(created).rejects.toThrow(/quiet-\[API key\]/);
});

it("a short key is in no table, line or error of the command line, and JSON has the values as they are", async () => {
  const bench = await useBench({ apiKey: KEY });
  bench.emulator.admin.seedEndpoint(PROJECT, { id: "ep-harbor-1", branch_id: bench.branch() });
  const list = await runCommand(bench, ["endpoints"]);
  expect(list.out).toContain("ep-[API key]-1");
  const shown = await runCommand(bench, ["endpoints", "show", "ep-harbor-1"]);
  const suspended = await runCommand(bench, ["endpoints", "suspend", "ep-harbor-1"]);
  const missing = await runCommand(bench, ["endpoints", "show", "ep-none"]);
  expect(missing.err).toContain("quiet-[API key]-12345678");
  for (const { out, err } of [list, shown, suspended, missing]) expect(out + err).not.toContain(KEY);
  expect((await runCommand(bench, ["endpoints", "--json"])).out).toContain('"id": "ep-harbor-1"');
});
