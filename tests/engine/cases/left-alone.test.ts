/**
 * Tests endpoints that a run leaves alone (`PGCOMPUTE_FORGET`) although the program changes them. In a file of its own:
 * after a failed run no program in this process may register anything.
 */
import { expect, it } from "vitest";
import { type Declarations, hosts } from "../support/hosts";
import { said } from "../support/look";
import { useBench } from "../support/platform";

const bench = useBench();
const main = (args: Record<string, unknown>): Declarations => ({ main: { args } });

it.each(hosts)(
  "what a run is to leave alone is refused in the preview, where the program would change or replace it in its place, by the $name host",
  async (host) => {
    const { is, idOf } = bench.program(host);
    const place = { projectId: bench.projectId, branchId: bench.branch() };
    await is(main(place)).up();
    const env = { PGCOMPUTE_FORGET: `${place.projectId}/${idOf("main")}` };
    const preview = async (args: object, options: object = {}, value = env) => {
      const stack = is({ main: { args: { ...place, ...args }, options } });
      return said(await stack.preview({ env: value, expectFailure: true }));
    };

    expect((await is(main(place)).up({ env })).changes).toMatchObject({ same: 1 });
    expect(await preview({ sizeCu: 2 })).toContain("and the program would change it");
    const replaceOnChanges = ["sizeCu"];
    expect(await preview({ sizeCu: 2 }, { replaceOnChanges })).toMatch(/and the program would (?:change|replace) it/);
    expect(await preview({ type: "read_only" }, {}, { PGCOMPUTE_FORGET: place.projectId })).toContain(
      `leaves project ${place.projectId} alone`,
    );
  },
);
