import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseStackExport } from "../../cli/state/stack-export";
import { newOwnershipName } from "../../provider/endpoint/ownership-name";
import { useBench } from "../support/bench";
import { temporaryFolder } from "../support/temporary-folder";
import { endpoint, exportOf, fleetOf, named, SECRET, secret } from "../unit/cli/support/states";
import { runAlone } from "./support/open-shell";
import { expectTold, type Line, transcriptOf } from "./support/transcript";

const text = JSON.stringify(exportOf(endpoint("a"), endpoint("b")));

it("a new state is for its owner alone, whoever could read the file that was there", async () => {
  const folder = temporaryFolder();
  const [made, there] = [join(folder, "made.json"), join(folder, "there.json")];
  writeFileSync(there, "longer than what is written".repeat(1_000));
  chmodSync(there, 0o644);
  for (const file of [made, there]) {
    const { code } = await runAlone(["state", "forget", "quiet-lake-12345678/ep-a", "--out", file], { input: text });
    expect({ code, mode: statSync(file).mode & 0o777 }).toEqual({ code: 0, mode: 0o600 });
    const state = parseStackExport(readFileSync(file, "utf8"));
    expect([named(state, "a"), named(state, "b")]).toEqual([undefined, endpoint("b")]);
  }
});

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
