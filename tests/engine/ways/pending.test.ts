/** Deletes that cannot be: of a project that is gone, or refused by the platform. Each way of a message is done in the state that printed it. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { commandIn } from "../../support/commands";
import { followOn } from "../support/follow";
import { type Declarations, hosts } from "../support/hosts";
import { said } from "../support/look";
import { type Program, useBench } from "../support/platform";
import type { Run } from "../support/run";

const bench = useBench();
const follow = followOn(bench);
const failed = { expectFailure: true };
afterEach(() => bench.emulator.admin.clearFaults());

/** A way of a message, done with the program that it was printed for. */
type Way = (program: Program, declared: Declarations, message: string) => Promise<Run | undefined>;

/** The value that a message gives the variable. */
const forgetIn = (message: string) =>
  commandIn(message, "PGCOMPUTE_FORGET").match(/^PGCOMPUTE_FORGET=(\S+) pulumi up$/)?.[1];

const ways: [string, Way][] = [
  [
    "PGCOMPUTE_FORGET",
    ({ is }, declared, message) => is(declared).up({ env: { PGCOMPUTE_FORGET: forgetIn(message) } }),
  ],
  [
    "pgcompute state forget",
    async ({ project }, _, message) => {
      await follow(project, commandIn(message, "state forget"));
      return undefined;
    },
  ],
];

/** A project with a branch, that goes with all that is in it. */
function mortal() {
  const { admin } = bench.emulator;
  const projectId = admin.seedProject().project.id;
  const end = async () => {
    admin.deleteProject(projectId);
    await vi.waitFor(() => expect(() => admin.project(projectId)).toThrow(), { timeout: 60_000 });
  };
  return { place: { projectId, branchId: admin.seedBranch(projectId).id }, end };
}

const own = () => ({ projectId: bench.projectId, branchId: bench.branch() });
const main = (args: Record<string, unknown>): Declarations => ({ main: { args } });

/** Nothing is left to change, and refresh and destroy end well. */
async function expectSettled({ is, project }: Program, declared: Declarations): Promise<void> {
  const stack = is(declared);
  const { changes } = await stack.up();
  expect(changes).toMatchObject({ create: 0, update: 0, delete: 0, replace: 0 });
  await stack.refresh();
  await stack.destroy();
  expect(project.exportState().resources.filter(({ type }) => /pgcompute(:index)?:/.test(type))).toEqual([]);
}

const entries = ({ project, urn }: Program) =>
  project.exportState().resources.filter((one) => one.urn === urn("main")).length;

describe.each(hosts)("with the $name host", (host) => {
  it.each(ways)(
    "a replacement whose old project is gone is refused, until that is left where it was: %s",
    async (_, way) => {
      const program = bench.program(host);
      const { place, end } = mortal();
      await program.is(main(place)).up();
      await end();
      const next = main(own());
      const message = said(await program.is(next).preview(failed));
      expect(message).toContain(`If project ${place.projectId} was deleted`);
      await program.is(next).up(failed);
      expect(entries(program)).toBe(1);

      await way(program, next, message);
      await program.is(next).up();
      expect(bench.on(next.main?.args.branchId as string)).toHaveLength(1);
      await expectSettled(program, next);
    },
  );

  it.each(ways)(
    "a delete that is pending in a project that is gone names a way that works there: %s",
    async (_, way) => {
      const program = bench.program(host);
      const { place, end } = mortal();
      await program.is(main(place)).up();
      const next = main(own());
      const fault = bench.emulator.admin.addFault({
        route: "endpoints.delete",
        effect: { kind: "status", status: 403 },
      });
      await program.is(next).up(failed);
      bench.emulator.admin.removeFault(fault);
      expect(entries(program)).toBe(2);
      await end();
      const message = said(await program.is(next).up(failed));
      expect(message).toMatch(/cannot tell what became of endpoint \S+: .*The delete is pending/);

      await way(program, next, message);
      await expectSettled(program, next);
    },
  );

  it.each([422, 403])(
    "a delete that the platform refuses with %i is pending, and stays, or is done once it may be",
    async (status) => {
      for (const [name, way] of [...ways, ["once the platform lets it", undefined] as const]) {
        const program = bench.program(host);
        const { branchId } = own();
        const typed = (type: string) => main({ projectId: bench.projectId, branchId, type });
        await program.is(typed("read_write")).up();
        const old = program.idOf("main");
        bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: bench.branch() });
        const effect = { kind: "status", status } as const;
        const fault = bench.emulator.admin.addFault({ route: "endpoints.delete", effect });
        const next = typed("read_only");
        const first = said(await program.is(next).up(failed));
        expect(entries(program), name).toBe(2);
        // `retainOnDelete` that is given now does not reach it.
        const kept: Declarations = { main: { ...next.main, options: { retainOnDelete: true } } as never };
        const message = said(await program.is(kept).up(failed));
        for (const text of [first, message])
          expect(text).toMatch(/The delete is pending.*PGCOMPUTE_FORGET.*state forget/s);

        const run = await way?.(program, next, message);
        if (run) expect(said(run)).toContain(`/${old} is left where it is`);
        bench.emulator.admin.removeFault(fault);
        if (!way) await program.is(next).up();
        expect(
          bench.on(branchId).some(({ id }) => id === old),
          name,
        ).toBe(way !== undefined);
        await expectSettled(program, next);
      }
    },
  );
});
