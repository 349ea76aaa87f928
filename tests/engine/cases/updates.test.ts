import { describe, expect, it } from "vitest";
import { type Declarations, pluginHost as host, hosts } from "../support/hosts";
import { said } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, sections 2.1, 2.3, 2.4, 3.2, 3.3, 4.5 and 4.7.

const bench = useBench();

/** One endpoint for each set of arguments, each on a branch of its own. */
function declare(branches: Record<string, string>, args: Record<string, Record<string, unknown>>): Declarations {
  const { projectId } = bench;
  return Object.fromEntries(
    Object.entries(args).map(([name, rest]) => [name, { args: { projectId, branchId: branches[name], ...rest } }]),
  );
}

function branchesFor(names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, bench.branch()]));
}

describe("changes in place", () => {
  it("puts back what it found as the program set it, once the program no longer does", async () => {
    const { projectId, emulator } = bench;
    const branchId = bench.branch();
    const live = { suspend_timeout_seconds: 600, pooler_enabled: true };
    const { id } = emulator.admin.seedEndpoint(projectId, { branch_id: branchId, ...live });
    const program = await bench.program(host);
    const main = (args: Record<string, unknown>) =>
      program.is({ main: { args: { projectId, branchId, adoptExisting: true, ...args } } });
    await main({ suspendTimeoutSeconds: 600 }).up();
    expect((await main({}).preview()).changes).toMatchObject({ update: 1 });
    await main({}).up();
    // What the program never set is the platform's business.
    expect(endpointsOn(bench, branchId)).toMatchObject([{ id, suspend_timeout_seconds: 0, pooler_enabled: true }]);
    expect((await main({}).up()).changes).toMatchObject({ same: 1 });
  });
});

// Update of the dynamic host is not shown the old inputs.
describe.each(hosts)("what the program no longer says, by the $name host", (host) => {
  it("puts back what the program stops setting, and keeps what has no default with a warning", async () => {
    const branches = branchesFor(["all", "form"]);
    const program = await bench.program(host);
    const everything = {
      suspendTimeoutSeconds: 600,
      poolerEnabled: true,
      poolerMode: "session",
      pgSettings: { work_mem: "8MB" },
      disabled: true,
      passwordlessAccess: false,
      autoscalingLimitMinCu: 1,
      autoscalingLimitMaxCu: 3,
    };
    await program.is(declare(branches, { all: everything, form: { sizeCu: 2 } })).up();
    const [old] = endpointsOn(bench, branches.all ?? "");
    expect(old).toMatchObject({ pooler_mode: "session", disabled: true, passwordless_access: false });

    const bare = program.is(declare(branches, { all: {}, form: {} }));
    const preview = await bare.preview();
    expect(preview.changes).toMatchObject({ update: 1, same: 1 });
    expect(said(preview, "all")).toContain(
      "no longer sets a size, which has no default: it stays as it is (1 to 3 CU)",
    );
    expect(said(preview, "all")).toContain("no longer sets passwordlessAccess, which has no default: it stays false");
    expect(said(preview, "all")).toContain("enables the endpoint");
    expect(said(preview, "form")).toContain("it stays as it is (2 CU)");
    await bare.up();
    expect(endpointsOn(bench, branches.all ?? "")[0]).toMatchObject({
      id: old?.id,
      suspend_timeout_seconds: 0,
      pooler_enabled: false,
      pooler_mode: "transaction",
      settings: { pg_settings: {} },
      disabled: false,
      passwordless_access: false,
      autoscaling_limit_min_cu: 1,
      autoscaling_limit_max_cu: 3,
    });
    const again = await bare.up();
    expect(again.changes).toMatchObject({ same: 2, update: 0 });
    expect(said(again)).not.toContain("no longer sets");
  });
});
