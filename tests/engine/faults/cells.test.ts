import { describe, expect, it } from "vitest";
import type { CallEffect, EndpointState } from "../../../emulator";
import { type Declarations, pluginHost as host, urnOf } from "../support/hosts";
import { endpointIdOf, said, stored, storedNames } from "../support/look";
import { type Bench, useBench } from "../support/platform";
import type { Project } from "../support/project";

const bench = useBench();

/** Faults of an update that nobody is to notice, and how often the update is sent. */
const mended: Record<string, { effect: CallEffect; sent: number }> = {
  lost: { effect: { kind: "status", status: 500, when: "after" }, sent: 1 },
  closed: { effect: { kind: "status", status: 503 }, sent: 2 },
  limited: { effect: { kind: "status", status: 429, retryAfter: { form: "seconds", seconds: 1 } }, sent: 2 },
  locked: { effect: { kind: "status", status: 423 }, sent: 2 },
};

describe("faults of the platform", () => {
  it("are recovered from, or end in a message whose way on works", async () => {
    const { admin } = bench.emulator;
    const { project, is } = await bench.program(host);
    const scene = createScene(bench);
    const { places, program } = scene;
    await is(program({ sizeCu: 1 })).up();
    const idOf = (name: string) => endpointIdOf(stored(project, host, name));
    const onUpdate = (name: string, effect: CallEffect, count = 1) =>
      admin.addFault({ method: "PATCH", path: `*${idOf(name)}`, count, effect });

    // Recovered: answers that are lost after the work, refusals for now, and a page where a list was asked for.
    for (const name of ["writer", "reader"] as const) {
      const path = `*${places[name].projectId}/endpoints`;
      admin.addFault({ method: "POST", path, count: 1, effect: { kind: "reset", when: "after" } });
      admin.addFault({ method: "GET", path, count: 1, effect: { kind: "html" } });
    }
    for (const [name, { effect }] of Object.entries(mended)) onUpdate(name, effect);
    admin.clearLog();
    await is(program({ sizeCu: 2, isWhole: true })).up();
    expect(admin.faults().map(({ struck }) => struck)).toEqual(admin.faults().map(() => 1));
    for (const name of ["writer", "reader"] as const) {
      expect(calls(bench, "POST", places[name].projectId)).toEqual([`/${places[name].projectId}/endpoints`]);
    }
    for (const [name, { sent }] of Object.entries(mended)) expect(calls(bench, "PATCH", idOf(name))).toHaveLength(sent);
    expectExactly(bench, scene, project, { sizeCu: 2, isWhole: true });

    // Failed: an operation, an endpoint that vanishes before its update, and a key that is taken back in mid-run.
    admin.clearFaults();
    admin.addFault({ on: "operation", branchId: places.failing.branchId, count: 1, effect: { kind: "fail" } });
    onUpdate("vanishing", { kind: "drop-endpoint" });
    onUpdate("unauthorized", { kind: "status", status: 401 }, 100);
    const last = { sizeCu: 4, isWhole: true };
    const failed = await is(program(last)).up({ args: ["--continue-on-error"], expectFailure: true });
    const [operation] = operationsOf(bench, idOf("failing")).filter(({ status }) => status === "failed");
    expect(said(failed, "failing")).toContain(
      `operation ${operation?.id} (${operation?.action}) ended as "failed" after 1 failure: ${operation?.error}`,
    );
    expect(said(failed, "vanishing")).toMatch(/no longer exists: .* Run `pulumi refresh`, then `pulumi up`/);
    expect(said(failed, "unauthorized")).toContain("The key came from the configuration (pgcompute:apiKey)");
    const [vanished, kept] = [idOf("vanishing"), idOf("failing")];

    admin.clearFaults();
    const htmlFault = admin.addFault({ method: "GET", route: "endpoints.list", effect: { kind: "html" } });
    const blind = await is(program(last)).preview({ expectFailure: true });
    expect(said(blind)).toContain("a page for browsers, not JSON: something else than the platform's API answered");
    admin.removeFault(htmlFault);

    await is(program(last)).refresh();
    expect(storedNames(project, host)).not.toContain("vanishing");
    await is(program(last)).up();
    expect(idOf("failing")).toBe(kept);
    expect(idOf("vanishing")).not.toBe(vanished);
    expect(admin.endpoint(kept).current_state).toBe("active");
    expectExactly(bench, scene, project, last);
    const again = await is(program(last)).preview();
    expect(again.changes).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0 });
    expect(said(again)).toBe("");

    // Refused: the platform keeps the endpoint of a root branch, and so does the state.
    const root = idOf("root");
    const refused = await is(program(last)).destroy({ expectFailure: true, args: ["--continue-on-error"] });
    const way = `pulumi state delete '${urnOf(project, host, "root")}'`;
    expect(said(refused, "root")).toContain("`retainOnDelete: true`");
    expect(said(refused, "root")).toContain(way);
    expect(storedNames(project, host)).toEqual(["root"]);
    expect(endpointsOf(bench, scene).map(({ id }) => id)).toEqual([root]);
    const [, ...words] = way.replaceAll("'", "").split(" ");
    expect((await project.cli([...words, "--stack", "dev", "--yes"])).code).toBe(0);
    await is({}).destroy();
    expect(storedNames(project, host)).toEqual([]);
  }, 300_000);
});

type Scene = ReturnType<typeof createScene>;

/** A place for each endpoint; those whose creates are struck have a project of their own. */
function createScene({ emulator: { admin } }: Bench) {
  const seed = () => {
    const { project, branches } = admin.seedProject({ endpoint: false });
    return { projectId: project.id, branchId: branches[0]?.id ?? "" };
  };
  const root = seed();
  const beside = () => ({ projectId: root.projectId, branchId: admin.seedBranch(root.projectId).id });
  const own = () => {
    const { projectId } = seed();
    return { projectId, branchId: admin.seedBranch(projectId).id };
  };
  const places = {
    root,
    writer: own(),
    reader: own(),
    ...(Object.fromEntries(Object.keys(mended).map((name) => [name, beside()])) as Record<string, typeof root>),
    failing: beside(),
    vanishing: beside(),
    unauthorized: beside(),
  };
  const program = ({ sizeCu, isWhole = false }: { sizeCu: number; isWhole?: boolean }): Declarations => {
    const sized = Object.entries(places).filter(([name]) => isWhole || (name !== "writer" && name !== "reader"));
    return Object.fromEntries(
      sized.map(([name, place]) => [
        name,
        { args: { ...place, sizeCu, type: name === "reader" ? "read_only" : "read_write" } },
      ]),
    );
  };
  return { places, program, projectIds: [...new Set(Object.values(places).map(({ projectId }) => projectId))] };
}

function endpointsOf({ emulator: { admin } }: Bench, { projectIds }: Scene): EndpointState[] {
  return projectIds.flatMap((projectId) => admin.project(projectId).endpoints);
}

function operationsOf({ emulator: { admin } }: Bench, endpointId: string) {
  const { project_id } = admin.endpoint(endpointId);
  return admin.project(project_id).operations.filter((operation) => operation.endpoint_id === endpointId);
}

/** The paths of the calls of a method to something, less the API's own part. */
function calls({ emulator: { admin } }: Bench, method: string, id: string): string[] {
  const paths = admin.log({ method }).map(({ path }) => path);
  return paths.filter((path) => path.includes(id)).map((path) => path.slice(path.indexOf("/projects/") + 9));
}

/** Fails unless each declared endpoint is there once, in the state and as it is declared, and there is no other. */
function expectExactly(
  { emulator: { admin } }: Bench,
  scene: Scene,
  project: Project,
  how: Parameters<Scene["program"]>[0],
): void {
  const names = Object.keys(scene.program(how));
  const ids = names.map((name) => endpointIdOf(stored(project, host, name)));
  expect(storedNames(project, host).sort()).toEqual([...names].sort());
  expect(
    endpointsOf(bench, scene)
      .map(({ id }) => id)
      .sort(),
  ).toEqual([...ids].sort());
  for (const id of ids) expect(admin.endpoint(id)).toMatchObject({ autoscaling_limit_min_cu: how.sizeCu });
}
