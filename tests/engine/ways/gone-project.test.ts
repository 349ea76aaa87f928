/** Tests deleted projects: refused until a run lets go of their endpoints. */
import { afterEach, expect, it } from "vitest";
import { commandIn } from "../../support/commands";
import { type Declarations, dynamicHost, type HostDriver, hosts, pluginHost } from "../support/hosts";
import { said } from "../support/look";
import { useBench } from "../support/platform";
import { failed, waysOn } from "./ways";

const bench = useBench();
const { byVariable, deleteProject, entries, expectSettled, idsOn, open, single } = waysOn(bench);
afterEach(() => bench.emulator.admin.clearFaults());

/** A place in a project that will be deleted. */
function mortal() {
  const { admin } = bench.emulator;
  const projectId = admin.seedProject().project.id;
  return { projectId, branchId: admin.seedBranch(projectId).id };
}

const main = (args: Record<string, unknown>): Declarations => ({ main: { args } });

it.each<[string, HostDriver]>([
  ["plugin", pluginHost],
  ["dynamic host", dynamicHost],
])("a replacement by the %s whose old project is gone goes on", async (_, host) => {
  const program = bench.program(host);
  const place = mortal();
  await program.is(main(place)).up();
  await deleteProject(place.projectId);
  const branchId = bench.branch();
  const next = single(branchId);
  const message = said(await program.is(next).up(failed));
  expect(message).toContain(place.projectId);
  expect(entries(program)).toBe(1);

  await byVariable(program, next, message);
  expect(idsOn(branchId)).toHaveLength(1);
  await expectSettled(program, next);
});

it.each<[string, HostDriver]>([
  ["plugin", pluginHost],
  ["dynamic host", dynamicHost],
])("a delete of the %s that is pending in a project that is gone is let go", async (_, host) => {
  const program = bench.program(host);
  const place = mortal();
  await program.is(main(place)).up();
  const next = single(bench.branch());
  const effect = { kind: "status", status: 403 } as const;
  const fault = bench.emulator.admin.addFault({ route: "endpoints.delete", effect });
  await program.is(next).up(failed);
  bench.emulator.admin.removeFault(fault);
  expect(entries(program)).toBe(2);
  await deleteProject(place.projectId);
  const message = said(await program.is(next).up(failed));

  await byVariable(program, next, message);
  await expectSettled(program, next);
});

it("what went with its project is forgotten, as preview and refresh say alike", async () => {
  const program = open();
  const { is, names } = program;
  const place = mortal();
  const stack = is(main(place));
  await stack.up();
  await deleteProject(place.projectId);
  const messages = [said(await stack.preview(failed)), said(await stack.refresh(failed))];
  const [inPreview, inRefresh] = messages.map((message) => commandIn(message, "PGCOMPUTE_FORGET"));
  expect(inPreview).toBe(inRefresh);
  await byVariable(program, {}, messages[1] ?? "");
  expect(names()).toEqual([]);
  await is({}).up();
});

it.each(hosts)("of a $name stack with members in a project that is gone the rest stays as it is", async (host) => {
  const program = bench.program(host);
  const gone = mortal();
  const inGone = () => ({ ...gone, branchId: bench.emulator.admin.seedBranch(gone.projectId).id });
  const password = { pgSettings: { "app.password": { secret: "hunter2-hunter2" } } };
  const stays = { projectId: bench.projectId, branchId: bench.branch(), ...password };
  const some = (endpoints: object) => ({ some: { args: { endpoints, maxDeletions: 9 }, isFleet: true as const } });
  const app = { args: { ...stays, branchId: bench.branch() } };
  const left: Declarations = { ...some({ stays }), app };
  await program
    .is({
      ...some({ stays, a: inGone(), b: { ...inGone(), ...password } }),
      all: { args: { endpoints: { secret: { c: inGone() } } }, isFleet: true },
      main: { args: gone },
      app: { ...app, options: { dependsOn: ["some", "all", "main"] } },
    })
    .up();
  await deleteProject(gone.projectId);

  // The messages mask the project, which one of the fleets keeps secret.
  await program.is(left).up({ env: { PGCOMPUTE_FORGET: gone.projectId } });
  expect(program.project.stateText()).not.toContain(gone.projectId);
  await expectSettled(program, left);
});
