/** What people have reported of providers of this kind, played on the model of the engine against the emulator. */
import { expect, it } from "vitest";
import { useStack } from "../engine-model/stack";

type Bench = Awaited<ReturnType<typeof useStack>>;

interface Story {
  /** Tracker and number. */
  from: string;
  what: string;
  play(of: Bench): Promise<void>;
}

const stories: Story[] = [
  {
    from: "kislerdm#209",
    what: "an endpoint that somebody deleted is created again, and nothing else changes",
    play: async ({ stack, single, branch, admin, bench, idsOn }) => {
      const [kept, gone] = [branch(), branch()];
      const program = { kept: single(kept, { sizeCu: 1 }), gone: single(gone, { sizeCu: 1 }) };
      await stack.up(program);
      const before = stack.ids();
      admin.dropEndpoint(before.gone ?? "");
      await bench.run(bench.clock.sleep(5_000));
      await stack.refresh();
      const run = await stack.up(program);
      expect(run.messages).toEqual([]);
      expect(stack.ids().kept).toBe(before.kept);
      expect(idsOn(gone)).toEqual([stack.ids().gone]);
    },
  },
  {
    from: "kislerdm#210",
    what: "with the branch deleted, preview says that it is not there, and another branch gets a new endpoint",
    play: async ({ stack, single, branch, admin, bench, projectId, idsOn }) => {
      const [gone, next] = [branch(), branch()];
      const program = { main: single(gone, { sizeCu: 1 }) };
      await stack.up(program);
      admin.dropBranch(projectId, gone);
      await bench.run(bench.clock.sleep(5_000));
      expect((await stack.refresh()).messages).toEqual([]);
      expect(stack.ids()).toEqual({});
      expect((await stack.preview(program)).messages.join("\n")).toContain(gone);
      const run = await stack.up({ main: single(next, { sizeCu: 1 }) });
      expect(run.messages).toEqual([]);
      expect(idsOn(next)).toEqual([stack.ids().main]);
    },
  },
  {
    from: "kislerdm#83",
    what: "with the project gone, the error has the command that lets go of it",
    play: async ({ stack, admin, bench }) => {
      const { id: projectId } = admin.seedProject().project;
      const program = { main: { args: { projectId, branchId: admin.seedBranch(projectId).id } } };
      await stack.up(program);
      admin.deleteProject(projectId);
      await bench.run(bench.clock.sleep(10_000));
      const run = await stack.up({});
      expect(run.messages.join("\n")).toContain(`PGCOMPUTE_FORGET=${projectId} pulumi up`);
    },
  },
  {
    from: "terraform#23723",
    what: "a setting's name in other letters is the same setting",
    play: async ({ stack, single, branch }) => {
      const on = branch();
      await stack.up({ main: single(on, { pgSettings: { work_mem: "64MB" } }) });
      const run = await stack.preview({ main: single(on, { pgSettings: { Work_Mem: "64MB" } }) });
      expect(run.isChanged).toBe(false);
    },
  },
  {
    from: "aws#40685",
    what: "null, unset and the default's own value plan nothing of each other",
    play: async ({ stack, single, branch }) => {
      const on = branch();
      const values = [{ suspendTimeoutSeconds: 0 }, {}, { suspendTimeoutSeconds: null }, { suspendTimeoutSeconds: 0 }];
      for (const value of values) {
        const program = { main: single(on, { sizeCu: 1, ...value }) };
        await stack.up(program);
        expect((await stack.preview(program)).isChanged).toBe(false);
      }
    },
  },
  {
    from: "electric#2756",
    what: "a lock of the project is waited out",
    play: async ({ stack, single, branch, admin }) => {
      admin.addFault({ route: "endpoints.create", count: 2, effect: { kind: "status", status: 423 } });
      const run = await stack.up({ main: single(branch(), { sizeCu: 1 }) });
      expect(run.messages).toEqual([]);
      expect(Object.keys(stack.ids())).toEqual(["main"]);
    },
  },
  {
    from: "pulumi#2318",
    what: "a second run after one that failed half-way goes on with what is there",
    play: async ({ stack, single, branch, admin, idsOn }) => {
      const [first, second] = [branch(), branch()];
      const program = { a: single(first, { sizeCu: 1 }), b: single(second, { sizeCu: 1 }) };
      const fault = admin.addFault({ route: "endpoints.create", skip: 1, effect: { kind: "status", status: 400 } });
      expect((await stack.up(program)).messages).toHaveLength(1);
      admin.removeFault(fault);
      expect((await stack.up(program)).messages).toEqual([]);
      expect([...idsOn(first), ...idsOn(second)].sort()).toEqual(Object.values(stack.ids()).sort());
    },
  },
];

it.each(stories)("$from: $what", async ({ play }) => {
  await play(await useStack());
});
