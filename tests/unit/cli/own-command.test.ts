import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ownCommand, withOwnCommand } from "../../../cli/own-command";
import { released, version } from "../../../provider/version";
import { temporaryFolder } from "../../support/temporary-folder";

/** A clone's script, a link to it in a folder for the PATH, and an unpacked package of npx. */
function scene() {
  const base = temporaryFolder();
  for (const name of ["clone/bin", "path", "_npx/1"]) mkdirSync(join(base, name), { recursive: true });
  const script = join(base, "clone/bin/pgcompute.cjs");
  const fetched = join(base, "_npx/1/pgcompute.cjs");
  for (const file of [script, fetched]) writeFileSync(file, "");
  symlinkSync(script, join(base, "path/pgcompute"));
  return { script, fetched, clone: join(base, "clone"), path: join(base, "path") };
}

it("a message's command is the one that runs where its reader is", () => {
  const { script, fetched, clone, path } = scene();
  const from = (more: object) => ownCommand({ script, env: {}, folder: "/elsewhere", ...more });
  expect(from({ folder: clone })).toBe("node bin/pgcompute.cjs");
  expect(from({})).toBe(`node ${script}`);
  expect(from({ env: { PATH: `/nowhere:${path}` }, script: join(path, "pgcompute") })).toBe("pgcompute");
  expect(from({ env: { PATH: path, npm_command: "exec" } })).toBe("npx --no-install pgcompute");
  expect(from({ script: fetched })).toBe(released ? `npx -p pulumi-pgcompute@${version} pgcompute` : `node ${fetched}`);
});

it.each([
  ["`pgcompute projects` lists them", "`node x projects` lists them"],
  ["`pulumi stack export | pgcompute state list`", "`pulumi stack export | node x state list`"],
  [
    "To wait for it, run:\n      pgcompute operations wait op-1",
    "To wait for it, run:\n      node x operations wait op-1",
  ],
  ["pgcompute: no project", "pgcompute: no project"],
  ["node /clone/bin/pgcompute projects", "node /clone/bin/pgcompute projects"],
  ["the pgcompute plugin", "the pgcompute plugin"],
])("finds this package's commands in a message: %s", (text, shown) => {
  expect(withOwnCommand(text, "node x")).toBe(shown);
});
