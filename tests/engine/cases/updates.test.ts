import { expect, it } from "vitest";
import { type Declarations, dynamicHost } from "../support/hosts";
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

// Update of the dynamic host is not shown the old inputs; by the plugin: tests/provider/endpoint/update.test.ts and plugin/migrate.test.ts.
it("the dynamic host puts back what the program stops setting, also what it found so, and keeps what has no default with a warning", async () => {
  const branches = branchesFor(["all", "form", "found"]);
  const program = await bench.program(dynamicHost);
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
  const live = { suspend_timeout_seconds: 600, pooler_enabled: true };
  const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branches.found ?? "", ...live });
  const adoptExisting = true;
  const found = { adoptExisting, suspendTimeoutSeconds: 600 };
  await program.is(declare(branches, { all: everything, form: { sizeCu: 2 }, found })).up();
  const [old] = endpointsOn(bench, branches.all ?? "");
  expect(old).toMatchObject({ pooler_mode: "session", disabled: true, passwordless_access: false });

  const bare = program.is(declare(branches, { all: {}, form: {}, found: { adoptExisting } }));
  const preview = await bare.preview();
  expect(preview.changes).toMatchObject({ update: 2, same: 1 });
  expect(said(preview, "all")).toContain("no longer sets a size, which has no default: it stays as it is (1 to 3 CU)");
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
  // What the program never set is the platform's business.
  const kept = { id, suspend_timeout_seconds: 0, pooler_enabled: true };
  expect(endpointsOn(bench, branches.found ?? "")).toMatchObject([kept]);
  const again = await bare.preview();
  expect(again.changes).toMatchObject({ same: 3, update: 0 });
  expect(said(again)).not.toContain("no longer sets");
});
