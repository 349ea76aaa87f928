import type { FleetStep, StepName } from "./fleet";
import type { LimitRun } from "./limits";
import type { AloneRun } from "./plugin-alone";

/** Everything that the page of benchmarks shows. */
export interface Figures {
  machine: string;
  parallel: number;
  operationMs: number;
  aloneParallel: number;
  fleets: { count: number; ours: FleetStep[]; engine: FleetStep[] }[];
  alone: AloneRun[];
  limits: LimitRun[];
}

const MS = 1_000;
const LOOKS_PER_SECOND = 2;

/** The page of benchmarks, as Markdown. */
export function benchmarks(figures: Figures): string {
  return `# Benchmarks

Written by \`make bench\` on ${figures.machine}. Calls are exact; seconds belong to this machine and this run, so compare
them within the page only.

## A fleet on the real engine

N read-write endpoints on N branches of one project, operations of ${figures.operationMs} ms, \`--parallel ${figures.parallel}\`, a YAML program, the
state in a file backend. The floor is what parallelism and operations dictate (N / ${figures.parallel} x ${figures.operationMs} ms). "Engine" is the same
program with a provider that does nothing but wait as long as one operation, in the same run: what the engine itself
costs. The bound on calls is 1 list of endpoints and 1 of branches for planning, one call for each change, and two looks
for each second in which something is waited for.

| N | step | calls | bound | refused | seconds | floor | engine | to the floor | to the engine | peak MB |
|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${figures.fleets.flatMap((fleet) => fleetRows(fleet, figures)).join("\n")}

## The plugin without the engine

The calls that the engine makes for each endpoint, over gRPC, ${figures.aloneParallel} endpoints at once, a new process for each step: time and
memory grow in a straight line with the number of endpoints. The curve of the memory is that of the largest step.

![Memory and time by the number of endpoints](benchmarks.svg)

| N | step | calls | seconds | peak MB |
|--:|---|--:|--:|--:|
${figures.alone.map((run) => `| ${run.count} | ${run.step} | ${run.calls} | ${seconds(run.ms)} | ${run.peakMb.toFixed(0)} |`).join("\n")}

## Rate limits and locks

Creates through the plugin with 20 at once. "Dictated" is what the limit allows for the calls that were made (its burst
at once, the rest at its rate): nothing, where they are fewer than its burst. "Without" is what the same creates take where nothing
limits them. For the lock, dictated is one operation after the other.

| platform | N | calls | refused | refused % | seconds | dictated | without | ratio |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
${figures.limits.map(limitRow).join("\n")}
`;
}

function fleetRows({ count, ours, engine }: Figures["fleets"][number], { parallel, operationMs }: Figures): string[] {
  return ours.map((step, index) => {
    const changes = step.step === "create" || step.step === "update of all" || step.step === "destroy";
    const floorMs = changes ? Math.ceil(count / parallel) * operationMs : undefined;
    const engineMs = engine[index]?.wallMs ?? 0;
    const cells = [
      count,
      step.step,
      step.total,
      boundOf(step, count),
      step.refused,
      seconds(step.wallMs),
      floorMs === undefined ? "" : seconds(floorMs),
      seconds(engineMs),
      floorMs === undefined ? "" : (step.wallMs / floorMs).toFixed(1),
      (step.wallMs / engineMs).toFixed(1),
      step.peakMb.toFixed(0),
    ];
    return `| ${cells.join(" | ")} |`;
  });
}

function boundOf({ step, wallMs }: FleetStep, count: number): number {
  const looks = LOOKS_PER_SECOND * Math.ceil(wallMs / MS);
  const bounds: Record<StepName, number> = {
    "preview of a new program": 2,
    create: count + 2 + looks,
    "preview with no change": 1,
    refresh: 2,
    "update of all": count + 1 + looks,
    destroy: count + looks,
  };
  return bounds[step];
}

function limitRow({ name, count, calls, refused, ms, dictatedMs, freeMs }: LimitRun): string {
  const share = ((100 * refused) / calls).toFixed(1);
  const ratio = dictatedMs === 0 ? "" : (ms / dictatedMs).toFixed(2);
  const free = freeMs === undefined ? "" : seconds(freeMs);
  return `| ${name} | ${count} | ${calls} | ${refused} | ${share} | ${seconds(ms)} | ${seconds(dictatedMs)} | ${free} | ${ratio} |`;
}

function seconds(ms: number): string {
  return (ms / MS).toFixed(1);
}
