import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project } from "./support/project";

// A provider as small as one can be, so that what fails here is the harness and not the project.
const provider = `exports.handler = () => ({
  check: async (olds, news) => ({
    inputs: news,
    failures: news.size === "bad" ? [{ property: "size", reason: "bad is no size" }] : [],
  }),
  diff: async (id, olds, news) => ({
    changes: olds.size !== news.size || olds.place !== news.place,
    replaces: olds.place !== news.place ? ["place"] : [],
  }),
  create: async (inputs) => ({ id: "smoke-" + inputs.place, outs: inputs }),
  update: async (id, olds, news) => ({ outs: news }),
})`;

class Smoke extends pulumi.CustomResource {
  constructor(name: string, inputs: { size: string; place: string }) {
    super("pulumi-nodejs:dynamic/pgcompute:Smoke", name, { ...inputs, __provider: provider });
  }
}

const withSmoke =
  (size: string, place = "here") =>
  async () => {
    new Smoke("smoke", { size, place });
  };

describe("an inline program on the real engine", () => {
  let project: Project;
  beforeAll(async () => {
    project = await createProject({ name: "harness" });
  });
  afterAll(() => project.close());

  it("previews without a trace, then creates", async () => {
    const preview = await project.stack(withSmoke("1")).preview();
    expect(preview.changes).toEqual({ create: 1, update: 0, replace: 0, delete: 0, same: 0 });
    expect(project.exportState().resources).toEqual([]);

    const up = await project.stack(withSmoke("1")).up();
    expect(up.changes).toMatchObject({ create: 1 });
    expect(up.diagnostics).toEqual([]);
    const [smoke] = project.exportState().resources.filter(({ type }) => type.endsWith(":Smoke"));
    expect(smoke).toMatchObject({ id: "smoke-here", outputs: { size: "1" } });
  });

  it("tells no change, an update and a replacement apart", async () => {
    expect((await project.stack(withSmoke("1")).up()).changes).toMatchObject({ same: 1, create: 0 });
    const update = await project.stack(withSmoke("2")).up();
    expect(update.changes).toMatchObject({ update: 1 });
    expect(update.steps[0]).toMatchObject({ name: "smoke", op: "update", ok: true });
    const replace = await project.stack(withSmoke("2", "there")).preview();
    expect(replace.changes).toMatchObject({ replace: 1, create: 0, delete: 0 });
    expect(replace.steps[0]?.replaceKeys).toEqual(["place"]);
  });

  it("gives the reason of a failure, and rejects one that the test did not expect", async () => {
    const refused = await project.stack(withSmoke("bad")).preview({ expectFailure: true });
    expect(refused.failure).toContain("bad is no size");
    expect(refused.diagnostics[0]).toMatchObject({ severity: "error", name: "smoke" });
    await expect(project.stack(withSmoke("bad")).up()).rejects.toThrow(/up failed(.|\n)*bad is no size/);
  });

  it("refreshes and destroys", async () => {
    expect((await project.stack(withSmoke("2")).refresh()).changes).toMatchObject({ same: 1 });
    expect((await project.stack(withSmoke("2")).previewDestroy()).changes).toMatchObject({ delete: 1 });
    expect((await project.stack(withSmoke("2")).destroy()).changes).toMatchObject({ delete: 1 });
    expect(project.exportState().resources).toEqual([]);
  });
});

describe("a YAML program on the real engine", () => {
  it("runs by the command line, with configuration", async () => {
    const project = await createProject({
      name: "harness-yaml",
      config: { "harness-yaml:plain": "one", "harness-yaml:hidden": { secret: "two" } },
    });
    const stack = project.yaml({
      config: { plain: { type: "string" }, hidden: { type: "string" } },
      outputs: { plain: "$" + "{plain}", hidden: "$" + "{hidden}" },
    });
    const up = await stack.up();
    expect(up.changes).toEqual({ create: 0, update: 0, replace: 0, delete: 0, same: 0 });
    expect(project.exportState().resources[0]?.outputs).toMatchObject({ plain: "one" });
    expect(project.stateText()).not.toContain("two");
    expect((await project.cli(["stack", "output", "hidden", "--show-secrets", "--stack", "dev"])).stdout.trim()).toBe(
      "two",
    );
    project.close();
  });
});
