import { beforeEach, expect, it } from "vitest";
import { platformIn } from "../../../../provider/platform/profiles/profiles";
import { useService } from "./support/open-service";

const urn = "urn:pulumi:dev::test::pgcompute:index:Endpoint::main";
const service = useService();

beforeEach(() => service.configure()); // what an earlier run was told is forgotten

/** An endpoint of 1 CU in the state of the last run, and the request that makes it 2 CU. */
async function made() {
  const inputs = { ...service.place(), sizeCu: 1 };
  const { id, properties } = await service.created(urn, inputs);
  const news = { ...inputs, sizeCu: 2 };
  service.lines.length = 0;
  return { inputs, news, diff: { urn, id, olds: properties, oldInputs: inputs, news } };
}

/** What the engine was told in full sentences. */
function told(): string[] {
  const lines = service.lines.filter(({ ephemeral }) => !ephemeral).map(({ message }) => message);
  return lines.filter((line) => platformIn(line) === undefined);
}

it("says at the second Check that the endpoint is replaced where Diff could only say that it changes in place", async () => {
  const { inputs, news, diff } = await made();
  await service.call("check", { urn, olds: inputs, news });
  expect(await service.call("diff", diff)).toMatchObject({ replaces: [], deletebeforereplace: true });
  await service.call("check", { urn, news });
  await service.call("create", { urn, properties: news, preview: true });
  await expect.poll(told).toHaveLength(2);
  const [inPlace, replaced] = told();
  expect(inPlace).toMatch(/^restarts the endpoint/);
  expect(replaced).toMatch(
    /^replaced, not changed in place: .*\(replaceOnChanges\); open connections are dropped, and the host name changes$/,
  );
});

it("says nothing more of one that Diff has announced, or of one that is new", async () => {
  const { inputs, news, diff } = await made();
  const replica = { ...news, type: "read_only" };
  await service.call("check", { urn, olds: inputs, news: replica });
  await service.call("diff", { ...diff, news: replica });
  await service.call("check", { urn, news: replica });
  await service.call("create", { urn, properties: replica, preview: true });
  await service.call("diff", diff);
  await service.configure();
  await service.call("check", { urn, news });
  await service.call("create", { urn, properties: news, preview: true });
  await service.call("getPluginInfo");
  await expect.poll(told).toHaveLength(2);
  expect(told().join("\n")).not.toContain("not changed in place");
});
