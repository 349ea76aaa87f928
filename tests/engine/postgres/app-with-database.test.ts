import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, it } from "vitest";
import { compileProgram } from "../../../tools/demo/program";
import { root } from "../../../tools/root.mjs";
import { useBench } from "../support/platform";

const example = join(root, "examples/app-with-database");
const bench = useBench({ postgres: true });

it("examples/app-with-database makes the endpoint, brings the schema up to date, and reads from it; a new statement is an update of the schema", async () => {
  const { emulator, projectId } = bench;
  const branchId = bench.branch();
  const port = String(emulator.postgres?.port);
  const project = bench.project({
    "engine-test:projectId": projectId,
    "engine-test:branchId": branchId,
    "engine-test:databaseAddress": "127.0.0.1",
    "engine-test:databasePort": port,
    "engine-test:databasePassword": emulator.postgres?.password ?? "",
  });
  const { name, program } = compileProgram(example, project.folders.program);
  expect(name).toBe("app-with-database");
  const stack = project.stack(program);
  expect((await stack.preview()).changes).toMatchObject({ create: 2 });
  expect((await stack.up()).changes).toMatchObject({ create: 2 });
  const [endpoint] = bench.on(branchId);
  expect(project.outputs()).toEqual({ host: endpoint?.host, latestNote: "The database is there" });
  expect((await stack.up()).changes).toMatchObject({ same: 2, update: 0 });

  const client = new pg.Client({ connectionString: emulator.admin.connectionStrings(endpoint?.id ?? "").url });
  await client.connect();
  expect((await client.query("SELECT text FROM notes")).rows).toEqual([{ text: "The database is there" }]);
  await client.end();

  const compiled = join(project.folders.program, "index.cjs");
  const text = readFileSync(compiled, "utf8");
  const more = text.replace(/^];$/m, `    "INSERT INTO notes (text) VALUES ('A second one')",\n];`);
  expect(more).not.toBe(text);
  writeFileSync(compiled, more);
  expect((await stack.up()).changes).toMatchObject({ same: 1, update: 1 });
  expect(project.outputs()).toMatchObject({ latestNote: "A second one" });
  expect((await stack.destroy()).changes).toMatchObject({ delete: 2 });
  expect(bench.on(branchId)).toEqual([]);
});
