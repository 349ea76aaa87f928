/** Programs whose previews the review is tested with, as the engine prints them. */
import type { Declarations, HostDriver } from "../../engine/support/hosts";
import type { Bench, Program } from "../../engine/support/platform";

/** What a preview printed, named the sample. */
export type Printed = Record<string, string>;

const streamed = { PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" };

/** Two programs in turn that change endpoints in every way except replacement; returns the printed previews. */
export async function printChanges(bench: Bench, host: HostDriver): Promise<Printed> {
  const { projectId } = bench;
  const [resized, same, delayed, typed, gone, moved, target, triggered, fresh] = branches(bench);
  const program = bench.program(host);
  await program
    .is(
      endpoints(projectId, {
        resized: { branchId: resized, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4, pgSettings: secret("64MB") },
        same: { branchId: same, sizeCu: 1 },
        delayed: { branchId: delayed, sizeCu: 1, suspendTimeoutSeconds: 600 },
        typed: { branchId: typed, type: "read_only", sizeCu: 1 },
        gone: { branchId: gone, sizeCu: 0.5, suspendTimeoutSeconds: -1 },
        moved: { branchId: moved, sizeCu: 0.5, poolerEnabled: true },
        adopted: { branchId: bench.emulator.branchId, adoptExisting: true, poolerMode: "transaction" },
        triggered: { branchId: triggered, sizeCu: 1 },
      }),
    )
    .up();
  const changed = endpoints(projectId, {
    resized: { branchId: resized, autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 4, pgSettings: secret("128MB") },
    same: { branchId: same, sizeCu: 1 },
    delayed: { branchId: delayed, sizeCu: 1 },
    typed: { branchId: typed, sizeCu: 1 },
    moved: { branchId: target, sizeCu: 0.5, poolerEnabled: false, disabled: true },
    fresh: { branchId: fresh, sizeCu: 3, passwordlessAccess: { secret: true } },
  });
  const stack = program.is({
    ...changed,
    triggered: {
      args: {
        projectId,
        branchId: triggered,
        sizeCu: 1,
        restartTrigger: outputOf("fresh", "endpointId"),
        pgSettings: { work_mem: "8MB", application_name: outputOf("fresh", "host") },
      },
      options: { dependsOn: ["fresh"] },
    },
  });
  return {
    changes: (await stack.preview({ args: ["--json"] })).stdout,
    "changes-refreshed": (await stack.preview({ args: ["--json", "--refresh"] })).stdout,
    "changes-streamed": (await stack.preview({ args: ["--json"], env: streamed })).stdout,
    failed: await printFailure(program, projectId, ["--json"]),
    "failed-streamed": await printFailure(program, projectId, ["--json"], streamed),
  };
}

/** Replacements of every kind, a takeover, a release and secret sizes. */
export async function printReplacements(bench: Bench, host: HostDriver): Promise<Printed> {
  const { projectId } = bench;
  const [first, option, forced, retained, hidden, adopts] = branches(bench);
  bench.emulator.admin.seedEndpoint(projectId, { branch_id: adopts, current_state: "active" });
  const program = bench.program(host);
  const declare = (args: Record<string, object>, options: Record<string, object>): Declarations =>
    Object.fromEntries(
      Object.entries(endpoints(projectId, args)).map(([name, one]) => [name, { ...one, options: options[name] ?? {} }]),
    );
  await program
    .is(
      declare(
        {
          first: { branchId: first, sizeCu: 2 },
          option: { branchId: option, type: "read_only", sizeCu: 1 },
          forced: { branchId: forced, type: "read_only", sizeCu: 1 },
          retained: { branchId: retained, sizeCu: 1 },
          hidden: { branchId: hidden, sizeCu: { secret: 1 }, disabled: true, suspendTimeoutSeconds: -1 },
        },
        { option: { deleteBeforeReplace: true }, retained: { retainOnDelete: true } },
      ),
    )
    .up();
  const stack = program.is(
    declare(
      {
        first: { branchId: first, type: "read_only", sizeCu: 2 },
        option: { branchId: option, sizeCu: 1 },
        forced: { branchId: forced, type: "read_only", sizeCu: 1 },
        hidden: { branchId: hidden, sizeCu: { secret: 2 } },
        adopts: { branchId: adopts, adoptExisting: true, sizeCu: 4 },
      },
      { option: { deleteBeforeReplace: true } },
    ),
  );
  const args = ["--json", "--replace", program.urn("forced")];
  // Only a person knows that the replica on the branch is the one that is to be replaced by force.
  const env = { PGCOMPUTE_ADOPT_INTERRUPTED: "0" };
  const steps = [...args, "--show-replacement-steps", "--show-sames"];
  return {
    replacements: (await stack.preview({ args, env })).stdout,
    "replacements-steps": (await stack.preview({ args: steps, env })).stdout,
    "replacements-streamed": (await stack.preview({ args, env: { ...env, ...streamed } })).stdout,
  };
}

/** An import and a read, which only the plugin has. */
export async function printImport(bench: Bench): Promise<Printed> {
  const { projectId, emulator } = bench;
  const [branchId] = branches(bench);
  const { id } = emulator.admin.seedEndpoint(projectId, { branch_id: branchId, current_state: "active" });
  const project = bench.project();
  const stack = project.yaml({
    resources: {
      imported: {
        type: "pgcompute:index:Endpoint",
        properties: { projectId, branchId, type: "read_write", sizeCu: 0.25, suspendTimeoutSeconds: 0 },
        options: { import: `${projectId}/${id}` },
      },
      looked: { type: "pgcompute:index:Endpoint", get: { id: `${projectId}/${id}` } },
    },
  });
  return {
    import: (await stack.preview({ args: ["--json"] })).stdout,
    "import-streamed": (await stack.preview({ args: ["--json"], env: streamed })).stdout,
  };
}

async function printFailure(program: Program, projectId: string, args: string[], env: Record<string, string> = {}) {
  const wrong = program.is(endpoints(projectId, { resized: { branchId: "main", sizeCu: 9 } }));
  return (await wrong.preview({ args, env, expectFailure: true })).stdout;
}

function endpoints(projectId: string, args: Record<string, object>): Declarations {
  return Object.fromEntries(Object.entries(args).map(([name, one]) => [name, { args: { projectId, ...one } }]));
}

/** How the harness writes another resource's output. */
export function outputOf(name: string, property: string): string {
  return `\${${name}.${property}}`;
}

function secret(workMem: string) {
  return { secret: { work_mem: workMem } };
}

function branches(bench: Bench): [string, string, string, string, string, string, string, string, string] {
  const all = Array.from({ length: 9 }, () => bench.branch());
  return all as ReturnType<typeof branches>;
}
