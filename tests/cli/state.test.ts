import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { gather } from "../../cli/state/gather";
import { parseStackExport } from "../../cli/state/stack-export";
import { newOwnershipName } from "../../provider/endpoint/ownership-name";
import { useBench } from "../support/bench";
import { endpoint, exportOf, FLEET, named, SECRET, secret } from "../unit/cli/support/states";
import { runAlone, runCommand } from "./support/open-shell";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pgcompute-state-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const text = JSON.stringify(exportOf(endpoint("a")));

it("an exported state is read as a terminal or PowerShell wrote it", async () => {
  const file = join(folder, "old.json");
  for (const written of [text, `\ufeff${text}`, Buffer.from(`\ufeff${text}`, "utf16le")]) {
    writeFileSync(file, written);
    const { code, out } = await runAlone(["state", "gather", "previews", "a", "--state", file]);
    expect(code).toBe(0);
    expect(named(parseStackExport(out), "previews", FLEET)).toBeDefined();
  }
});

it("a new state is for its owner alone, whoever could read the file that was there", async () => {
  const [made, there] = [join(folder, "made.json"), join(folder, "there.json")];
  writeFileSync(there, "longer than what is written".repeat(1_000));
  chmodSync(there, 0o644);
  for (const file of [made, there]) {
    const { code } = await runAlone(["state", "gather", "previews", "a", "--out", file], { input: text });
    expect({ code, mode: statSync(file).mode & 0o777 }).toEqual({ code: 0, mode: 0o600 });
    expect(named(parseStackExport(readFileSync(file, "utf8")), "previews", FLEET)).toBeDefined();
  }
});

const book = (more: object) => ({ outputs: { __pgcompute: { v: 2, set: [], ...more } } });
const fleetOf = (...singles: object[]) =>
  gather(exportOf(...singles), {
    fleet: "previews",
    patterns: ["*"],
    stripPrefix: "",
  }).state.deployment.resources?.find(({ type }) => type === FLEET) ?? {};
const rows = (out: string) =>
  out
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.replace("quiet-lake-12345678/", "").split(/ {2,}/).join(" | "));

it("says who has which endpoint, how it came to them, and what a destroy does to it", async () => {
  const state = exportOf(
    endpoint("created"),
    endpoint("adopted", book({ adopted: true, takenOverAt: 1 })),
    endpoint("imported", { ...book({ imported: true }), protect: true }),
    endpoint("taken", { ...book({ takenOverAt: 1 }), retainOnDelete: true }),
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
  const { code, out, err } = await runAlone(["state", "list"], { input: JSON.stringify(state) });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(rows(out)).toEqual([
    "ep-created | created | deleted",
    "ep-adopted | adopted | adopted | released",
    "ep-imported | imported | imported | refused",
    "ep-taken | taken | taken over | kept",
    "ep-read | read | left alone",
    "ep-old | old (leaves) | deleted",
    "ep-a | previews/a | refused",
    "ep-b | previews/b | adopted | released",
    "ep-c | previews/c | deleted",
    "ep-dynamic | dynamic | deleted",
  ]);
});

it("says which members it cannot read", async () => {
  const fleet = fleetOf(endpoint("a")) as { outputs: object };
  const ofBook = exportOf({ ...fleet, outputs: { ...fleet.outputs, __pgcompute: SECRET } });
  expect(rows((await runAlone(["state", "list"], { input: JSON.stringify(ofBook) })).out)).toEqual([
    "ep-a | previews/a | deleted",
  ]);
  const ofMembers = exportOf({ ...fleet, outputs: { endpoints: SECRET, __pgcompute: SECRET } });
  expect(await runAlone(["state", "list"], { input: JSON.stringify(ofMembers) })).toMatchObject({
    code: 0,
    err: "without the members of previews, which are a secret: use `pulumi stack export --show-secrets`\n",
    out: expect.stringMatching(/^\(members cannot be read\) +previews *$/m),
  });
});

it("with --live also says what nobody has, for whom it was made, and what has gone", async () => {
  const bench = await useBench();
  const { admin } = bench.emulator;
  const projectId = "quiet-lake-12345678";
  admin.seedProject({ id: projectId, endpointId: "ep-main" });
  const made = (name: string) => newOwnershipName({ identity: name, name });
  for (const [id, name] of [
    ["ep-a", "a"],
    ["ep-lost", "previews/pr-1"],
  ] as const) {
    const { id: branchId } = admin.seedBranch(projectId, { id: `br-${id}` });
    admin.seedEndpoint(projectId, { id, branch_id: branchId, name: made(name) });
  }
  const input = JSON.stringify(exportOf(endpoint("a"), endpoint("b"), endpoint("c", { id: "nowhere-1/ep-c" })));
  const { out, err } = await runCommand(bench, ["state", "list", "--live", "--json"], { input });
  expect(err).toBe("the platform has no project nowhere-1, or the key may not see it\n");
  const { endpoints } = JSON.parse(out) as { endpoints: { id: string; owner?: string; live: object }[] };
  expect(
    endpoints.map(({ id, owner, live }) => ({ id: id.split("/")[1], owned: owner !== undefined, ...live })),
  ).toEqual([
    { id: "ep-a", owned: true, isThere: true, madeFor: "a", branchId: "br-ep-a", type: "read_write" },
    { id: "ep-b", owned: true, isThere: false },
    { id: "ep-c", owned: true, isThere: false },
    expect.objectContaining({ id: "ep-main", owned: false, isThere: true }),
    {
      id: "ep-lost",
      owned: false,
      isThere: true,
      madeFor: "previews-pr-1",
      branchId: "br-ep-lost",
      type: "read_write",
    },
  ]);
  const fleet = fleetOf(endpoint("a")) as { outputs: object };
  const secretly = exportOf({ ...fleet, outputs: { endpoints: SECRET, __pgcompute: SECRET } });
  const args = ["state", "list", "--live", "--project", projectId];
  const ofSecret = await runCommand(bench, args, { input: JSON.stringify(secretly) });
  expect(rows(ofSecret.out)).toEqual([
    "(members cannot be read) | previews",
    expect.stringMatching(/^ep-main \| not known/),
    expect.stringMatching(/^ep-a \| not known/),
    expect.stringMatching(/^ep-lost \| not known/),
  ]);
  const empty = await runCommand(bench, ["state", "list", "--live", "--project", projectId], {
    input: JSON.stringify(exportOf()),
  });
  expect(rows(empty.out)).toContainEqual(
    expect.stringMatching(/^ep-lost \| none \| br-ep-lost \| previews-pr-1 \| yes$/),
  );
});
