/** The message on a size that `ignoreChanges` keeps in part and whose kept part contradicts the program's. */
import { type Ignored, withIgnored } from "../../endpoint/ignored";
import type { CheckedInputs } from "../../endpoint/parse-inputs";
import { sizeNames, sizeRange } from "../../endpoint/rules/size";
import type { EndpointState } from "../../endpoint/state";
import { isKnown } from "../../lib/unknown";
import { formatSize, listed } from "../../lib/wording";

/**
 * Reports that a size stays, because its kept part contradicts the program's part. Undefined without a contradiction.
 */
export function ignoredSizeMessage(
  program: CheckedInputs,
  {
    state,
    ignored = new Set(),
    secret = new Set(),
  }: { state: EndpointState; ignored?: Ignored | undefined; secret?: ReadonlySet<string> | undefined },
): string | undefined {
  const inputs = withIgnored(program, state, { ignored });
  const given = sizeNames.filter((name) => inputs[name] !== undefined);
  const held = given.filter((name) => ignored.has(name));
  if (held.length === 0 || held.length === given.length || sizeRange(inputs) !== undefined) return undefined;

  const isSecret = sizeNames.some((name) => secret.has(name));
  const shown = (name: (typeof sizeNames)[number]) => (isSecret ? name : `${name} (${String(inputs[name])} CU)`);
  const own = given.filter((name) => !held.includes(name));
  const { autoscalingLimitMinCu, autoscalingLimitMaxCu } = state;
  const size = sizeRange({ autoscalingLimitMinCu, autoscalingLimitMaxCu } as CheckedInputs);
  const now = isKnown(size) && !isSecret ? `, ${formatSize(size.minCu, size.maxCu)}` : "";

  return (
    `the limits contradict each other: ${listed(held.map(shown))} is as somebody else has set it, and ignoreChanges keeps it so; ` +
    `the program says ${listed(own.map(shown))}. So the size stays as it is${now}. Change what the program says, ` +
    `or take ${listed(held)} out of ignoreChanges`
  );
}
