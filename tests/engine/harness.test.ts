import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { createProject } from "./support/project";

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

describe("the harness", () => {
  it("tells the steps of an inline program, and rejects what the test did not expect", async () => {
    const project = await createProject({ name: "harness" });
    const up = await project.stack(withSmoke("1")).up();
    expect(up.changes).toEqual({ create: 1, update: 0, replace: 0, delete: 0, same: 0 });
    expect(up.diagnostics).toEqual([]);
    const replace = await project.stack(withSmoke("2", "there")).preview();
    expect(replace.changes).toMatchObject({ replace: 1, create: 0, delete: 0 });
    expect(replace.steps[0]).toMatchObject({ name: "smoke", replaceKeys: ["place"] });
    const bad = project.stack(withSmoke("bad"));
    const refused = await bad.preview({ expectFailure: true });
    expect(refused.failure).toContain("bad is no size");
    expect(refused.diagnostics[0]).toMatchObject({ severity: "error", name: "smoke" });
    await expect(bad.up()).rejects.toThrow(/up failed(.|\n)*bad is no size/);
    await expect(project.stack(withSmoke("1")).destroy({ expectFailure: true })).rejects.toThrow(/destroy succeeded/);
    project.close();
  });
});
