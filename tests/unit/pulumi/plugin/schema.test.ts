import { expect, it } from "vitest";
import { version } from "../../../../package.json";
import { schemaFor } from "../../../../provider/pulumi/plugin/service";

it.each([
  ["a clone", "/home/me/pulumi-pgcompute/dist"],
  ["an installed package", "/app/node_modules/pulumi-pgcompute/dist"],
  ["a clone of a bare repository's name", "/home/me/pulumi-pgcompute.git/dist"],
  [
    "a tag that the engine has fetched",
    "/home/me/.pulumi/plugins/resource-github.com_owner_pulumi-pgcompute.git-v0.1.0/dist",
  ],
  ["a tarball that the engine has installed", "/home/me/.pulumi/plugins/resource-pgcompute-v0.1.0"],
])("the schema of %s has the package's version, which an SDK needs", (_, folder) => {
  expect(schemaFor(folder)).toMatchObject({ name: "pgcompute", version });
});

it.each([
  ["a commit", "resource-github.com_owner_pulumi-pgcompute.git-v0.0.0-x8cb0c43b"],
  ["a commit of a folder of a repository", "resource-git.example.com_owner_all.git_pgcompute-v0.0.0-x8cb0c43b"],
])("the schema of %s that the engine has fetched has the engine's version of that commit", (_, name) => {
  const folder = `/home/me/.pulumi/plugins/${name}/dist`;
  expect(schemaFor(folder)).toMatchObject({ name: "pgcompute", version: "0.0.0-x8cb0c43b" });
});
