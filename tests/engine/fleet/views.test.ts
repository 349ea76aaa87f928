import { describe, expect, it } from "vitest";
import { pluginHost } from "../support/hosts";
import { useBench } from "../support/platform";

const bench = useBench();

const MEMBER = "pgcompute:index:EndpointFleet$pgcompute:index:Endpoint";

describe("the members of a fleet", () => {
  it("have rows of their own in a preview, in each of its forms, and never in an update or in the state", async () => {
    const [a, b, c] = [bench.branch(), bench.branch(), bench.branch()];
    const { projectId } = bench;
    const program = await bench.program(pluginHost);
    const stack = (endpoints: Record<string, unknown>) =>
      program.is({ previews: { isFleet: true, args: { projectId, endpoints } } });
    const first = stack({ "pr-1": { branchId: a }, "pr-2": { branchId: b } });
    const rowsOf = ({ steps }: Awaited<ReturnType<typeof first.preview>>) =>
      steps.filter(({ urn }) => urn.includes(MEMBER)).map(({ op, name }) => `${op} ${name}`);
    expect(rowsOf(await first.preview()).sort()).toEqual(["create previews/pr-1", "create previews/pr-2"]);
    const up = await first.up();
    expect(rowsOf(up)).toEqual([]);

    const second = stack({ "pr-2": { branchId: b, sizeCu: 1 }, "pr-3": { branchId: c } });
    const preview = await second.preview({ args: ["--diff"] });
    expect(rowsOf(preview).sort()).toEqual(["create previews/pr-3", "delete previews/pr-1", "update previews/pr-2"]);
    expect(preview.text).toMatch(/previews\/pr-3/);
    const ended = await program.project.cli(["preview", "--json", "--non-interactive", "--stack", "dev"]);
    expect(ended.code, ended.text).toBe(0);
    const { steps } = JSON.parse(ended.stdout) as { steps: { urn: string }[] };
    expect(steps.filter(({ urn }) => urn.includes(MEMBER))).toHaveLength(3);
    expect(program.project.stateText()).not.toContain(MEMBER);
  });
});
