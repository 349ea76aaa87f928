/** A stack whose refusals are followed: the commands of its messages are run as they stand there. */
import { expect, vi } from "vitest";
import { commandIn } from "../../support/commands";
import { follow } from "../support/follow";
import { type Declarations, pluginHost as host } from "../support/hosts";
import { said } from "../support/look";
import type { Bench, Program } from "../support/platform";
import type { Run } from "../support/run";

/** Options of a run that fails. */
export const failed = { expectFailure: true };

/** Lets go of what cannot be deleted, as a message says, with the program that it was printed for. */
export type LettingGo = (program: Program, declared: Declarations, message: string) => Promise<Run | undefined>;

/** What the files of this folder do on the platform of a file. */
export function waysOn(bench: Bench) {
  const idsOn = (branchId: string) => bench.on(branchId).map(({ id }) => id);
  return {
    follow,
    idsOn,
    single: (branchId: string, more: object = {}): Declarations => ({
      main: { args: { projectId: bench.projectId, branchId, ...more } },
    }),
    fleet: (endpoints: Record<string, object>, more: object = {}): Declarations => ({
      f: { args: { projectId: bench.projectId, endpoints, ...more }, isFleet: true },
    }),
    /** Opens a stack, and a branch for its endpoint. */
    open() {
      const program = bench.program(host);
      const { project, is, idOf } = program;
      const branchId = bench.branch();
      return {
        ...{ ...program, branchId },
        /** Runs the command of a message that has these words. */
        does: (message: string, words: string, more = "") => follow(project, commandIn(message, words) + more),
        /** What a preview of the program is refused with. */
        refused: async (declared: Declarations, ...args: string[]) =>
          said(await is(declared).preview({ args, ...failed })),
        /** The id of the resource `main`, the only one of the branch. */
        onlyId: () => {
          expect(idsOn(branchId)).toEqual([idOf("main")]);
          return idOf("main");
        },
        expectSame: async (declared: Declarations, same = 1) => {
          const { changes } = await is(declared).preview();
          expect(changes).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0, same });
        },
        /** Takes a resource out of the state, so that nobody has its endpoint. */
        abandon: (name: string) => project.pulumi("state", "delete", program.urn(name)),
      };
    },
    /** By the variable, for one run. */
    byVariable: (async ({ is }, declared, message) => {
      const [, value] = commandIn(message, "PGCOMPUTE_FORGET").match(/^PGCOMPUTE_FORGET=(\S+) pulumi up$/) ?? [];
      return is(declared).up({ env: { PGCOMPUTE_FORGET: value } });
    }) satisfies LettingGo,
    /** Expects that nothing is left to change, and that refresh and destroy end well. */
    async expectSettled({ is, project }: Program, declared: Declarations): Promise<void> {
      const stack = is(declared);
      const { changes } = await stack.up();
      expect(changes).toMatchObject({ create: 0, update: 0, delete: 0, replace: 0 });
      await stack.destroy({ args: ["--refresh"] });
      expect(project.exportState().resources.filter(({ type }) => /pgcompute(:index)?:/.test(type))).toEqual([]);
    },
    /** Counts the entries of the resource `main`, those that are pending deletes among them. */
    entries: ({ project, urn }: Program) =>
      project.exportState().resources.filter((one) => one.urn === urn("main")).length,
    /** Deletes a project with all that is in it. */
    async deleteProject(projectId: string): Promise<void> {
      const { admin } = bench.emulator;
      admin.deleteProject(projectId);
      await vi.waitFor(() => expect(() => admin.project(projectId)).toThrow(), { timeout: 60_000 });
    },
  };
}
