import { expect, it } from "vitest";
import { dynamicHost } from "../support/hosts";
import { said } from "../support/look";
import { useBench } from "../support/platform";

// Specification, sections 2.1, 2.3, 2.4, 3.2, 3.3, 4.5 and 4.7.

const bench = useBench();

// The dynamic host's Update gets no old inputs. For the plugin, see tests/provider/endpoint/update.test.ts and
// plugin/migrate.test.ts.
it("the dynamic host puts back what the program stops setting, also what it found so, and keeps what has no default with a warning", async () => {
  const { projectId } = bench;
  const on = { all: bench.branch(), found: bench.branch() };
  const { is } = bench.program(dynamicHost);
  const declared = (all: object, found: object) =>
    is({
      all: { args: { projectId, branchId: on.all, ...all } },
      found: { args: { projectId, branchId: on.found, adoptExisting: true, ...found } },
    });
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
  const live = { branch_id: on.found, suspend_timeout_seconds: 600, pooler_enabled: true };
  const { id } = bench.emulator.admin.seedEndpoint(projectId, live);
  await declared(everything, { suspendTimeoutSeconds: 600 }).up();
  const [old] = bench.on(on.all);
  expect(old).toMatchObject({ pooler_mode: "session", disabled: true, passwordless_access: false });

  const bare = declared({}, {});
  const preview = await bare.preview();
  expect(preview.changes).toMatchObject({ update: 2 });
  expect(said(preview, "all")).toContain("no longer sets a size, which has no default: it stays as it is (1 to 3 CU)");
  expect(said(preview, "all")).toContain("no longer sets passwordlessAccess, which has no default: it stays false");
  expect(said(preview, "all")).toContain("enables the endpoint");
  await bare.up();
  expect(bench.on(on.all)[0]).toMatchObject({
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
  expect(bench.on(on.found)).toMatchObject([{ id, suspend_timeout_seconds: 0, pooler_enabled: true }]);
  const again = await bare.preview();
  expect(again.changes).toMatchObject({ same: 2, update: 0 });
  expect(said(again)).not.toContain("no longer sets");
});
