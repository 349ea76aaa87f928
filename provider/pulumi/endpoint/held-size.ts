/** The message on a size that `ignoreChanges` keeps in part and whose kept part contradicts the program's. */
import { isIgnored, withHeldLimit } from "../../endpoint/differences";
import type { CheckedInputs } from "../../endpoint/parse-inputs";
import { sizeNames, sizeRange } from "../../endpoint/rules/size";
import type { EndpointState } from "../../endpoint/state";
import { isKnown } from "../../lib/unknown";
import { formatSize, listed } from "../../lib/wording";

/** A size with a part that `ignoreChanges` keeps. */
interface HeldSize {
  /** The size with the kept values in place. */
  inputs: CheckedInputs;
  /** The kept properties. */
  held: ReadonlySet<string>;
  /** The current size, from inputs or a state. */
  live: CheckedInputs | EndpointState;
  secret?: ReadonlySet<string> | undefined;
}

/**
 * Reports that a size stays, because its kept part contradicts the program's part. Undefined without a contradiction.
 */
export function heldSizeMessage({ inputs, held: kept, live, secret = new Set() }: HeldSize): string | undefined {
  const given = sizeNames.filter((name) => inputs[name] !== undefined);
  const held = given.filter((name) => kept.has(name));
  if (held.length === 0 || held.length === given.length || sizeRange(inputs) !== undefined) return undefined;

  const isSecret = sizeNames.some((name) => secret.has(name));
  const shown = (name: (typeof sizeNames)[number]) => (isSecret ? name : `${name} (${String(inputs[name])} CU)`);
  const own = given.filter((name) => !held.includes(name));
  const size = sizeRange(live as CheckedInputs);
  const now = isKnown(size) && !isSecret ? `, ${formatSize(size.minCu, size.maxCu)}` : "";

  return (
    `the limits contradict each other: ${listed(held.map(shown))} is as somebody else has set it, and ignoreChanges keeps it so; ` +
    `the program says ${listed(own.map(shown))}. So the size stays as it is${now}. Change what the program says, ` +
    `or take ${listed(held)} out of ignoreChanges`
  );
}

/** Reports the same contradiction for known paths of `ignoreChanges`. */
export function ignoredSizeMessage(
  inputs: CheckedInputs,
  {
    state,
    ignoreChanges = [],
    secret,
  }: { state: EndpointState; ignoreChanges?: readonly string[] | undefined; secret?: ReadonlySet<string> | undefined },
): string | undefined {
  const held = new Set(sizeNames.filter((name) => isIgnored(name, ignoreChanges)));
  const { autoscalingLimitMinCu, autoscalingLimitMaxCu } = state;
  const live = { autoscalingLimitMinCu, autoscalingLimitMaxCu };
  return heldSizeMessage({ inputs: withHeldLimit(inputs, state, ignoreChanges), held, live, secret });
}
