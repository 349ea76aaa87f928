/** The message on a size that `ignoreChanges` keeps in part, beside which the rest of the program's size cannot stand. */
import { isIgnored, withHeldLimit } from "../../endpoint/differences";
import type { CheckedInputs } from "../../endpoint/parse-inputs";
import { sizeNames, sizeRange } from "../../endpoint/rules/size";
import type { EndpointState } from "../../endpoint/state";
import { isKnown } from "../../lib/unknown";
import { formatSize, listed } from "../../lib/wording";

/** What is known of a size of which a part is kept. */
interface HeldSize {
  /** The size with what is kept in its place. */
  inputs: CheckedInputs;
  /** The properties that are kept. */
  held: ReadonlySet<string>;
  /** The size that is there, as inputs or a state have it. */
  live: CheckedInputs | EndpointState;
  secret?: ReadonlySet<string> | undefined;
}

/** Says that a size stays as it is, since what is kept of it and what the program says contradict each other. Undefined where they do not. */
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

/** Says the same where the paths of `ignoreChanges` are known. */
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
