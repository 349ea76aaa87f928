/** Refusals of the configuration and of values, with what their messages name to set them right. */
import { expect, it, onTestFinished } from "vitest";
import { commandIn } from "../../support/commands";
import { pluginHost as host } from "../support/hosts";
import { said } from "../support/look";
import { useBench } from "../support/platform";
import { createProject } from "../support/project";
import { failed, waysOn } from "./ways";

const bench = useBench();
const { follow, open, single } = waysOn(bench);

it("key and address are set, message by message", async () => {
  const branchId = bench.branch();
  const project = createProject({ config: { "pgcompute:baseUrl": bench.emulator.url } });
  onTestFinished(() => project.close());
  const stack = host.stack(project, single(branchId));
  const first = (await stack.preview(failed)).failure;
  await follow(project, `echo napi_wrong | ${commandIn(first, "config set --secret")}`);
  const refusedKey = said(await stack.preview(failed));
  await follow(project, `echo ${bench.emulator.apiKey} | ${commandIn(refusedKey, "config set --secret")}`);
  expect((await stack.up()).changes).toMatchObject({ create: 1 });
  // Or the variable, where the configuration has no key: one that is set there comes first.
  for (const key of ["apiKey", "baseUrl"]) await project.cli(["config", "rm", `pgcompute:${key}`, "--stack", "dev"]);
  const env = { PGCOMPUTE_API_KEY: bench.emulator.apiKey, PGCOMPUTE_BASE_URL: bench.emulator.url };
  expect((await stack.preview({ env })).changes).toMatchObject({ same: 1 });
});

it("larger sizes and a paid plan are set", async () => {
  const { project, is, branchId, does, refused } = open();
  project.setConfig({ "pgcompute:plan": "free" });
  const declared = single(branchId, { sizeCu: 9 });
  await does(await refused(declared), "pgcompute:plan");
  await does(await refused(declared), "pgcompute:maxSizeCu");
  expect((await is(declared).preview()).changes).toMatchObject({ create: 1 });
});

it("the ids of branches are listed", async () => {
  const { branchId, does, refused } = open();
  expect(await does(await refused(single("main")), "branches")).toContain(branchId);
});

it("the ids of projects are listed", async () => {
  const { branchId, does, refused } = open();
  const message = await refused(single(branchId, { projectId: "My shop" }));
  expect(await does(message, "projects")).toContain(bench.projectId);
});
