import { it } from "vitest";
import { newOwnershipName } from "../../provider/endpoint/ownership-name";
import { useBench } from "../support/bench";
import { endpoint, exportOf, fleetOf, SECRET, secret } from "../unit/cli/support/states";
import { expectTold, type Line, transcriptOf } from "./support/transcript";

const book = (more: object) => ({ outputs: { __pgcompute: { v: 2, set: [], ...more } } });
const list = (state: object, more = ""): Line => [`state list${more}`, { input: JSON.stringify(state) }];
const fleet = fleetOf(endpoint("a"));
const secretly = exportOf({ ...fleet, outputs: { endpoints: SECRET, __pgcompute: SECRET } });

it("who has which endpoint is listed, how it came to them, and what a destroy does to it", async () => {
  const state = exportOf(
    endpoint("created"),
    endpoint("adopted", book({ adopted: true })),
    endpoint("imported", { ...book({ imported: true }), protect: true }),
    endpoint("kept", { ...book({}), retainOnDelete: true }),
    endpoint("read", { external: true }),
    endpoint("old", { delete: true }),
    fleetOf(
      endpoint("a", { protect: true }),
      endpoint("b", book({ adopted: true })),
      endpoint("c", { inputs: { sizeCu: secret(1) } }),
    ),
    endpoint("dynamic", { type: "pulumi-nodejs:dynamic/pgcompute:Endpoint" }),
    { ...endpoint("none"), id: "" },
  );
  const shut = exportOf({ ...fleet, outputs: { ...fleet.outputs, __pgcompute: SECRET } });
  const alone = await transcriptOf([list(state), list(state, " --json"), list(shut), list(secretly)]);
  const bench = await useBench();
  const { admin } = bench.emulator;
  const projectId = "quiet-lake-12345678";
  admin.seedProject({ id: projectId });
  const made = (name: string) => newOwnershipName({ identity: name, name });
  for (const [id, name] of [
    ["ep-a", "a"],
    ["ep-lost", "previews/pr-1"],
    ["ep-main", undefined],
  ] as const) {
    const { id: branchId } = admin.seedBranch(projectId, { id: `br-${id}` });
    admin.seedEndpoint(projectId, { id, branch_id: branchId, ...(name && { name: made(name) }) });
  }
  const some = exportOf(endpoint("a"), endpoint("b"), endpoint("c", { id: "nowhere-1/ep-c" }));
  const live = ` --live --project ${projectId}`;
  const withLive = await transcriptOf(
    [list(some, " --live"), list(some, " --live --json"), list(secretly, live), list(exportOf(), live)],
    bench,
  );
  await expectTold("states-listed", `${alone}\n${withLive}`);
});
