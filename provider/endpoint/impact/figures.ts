/** The figures of an endpoint before and after a change: size, memory, `max_connections`, autosuspend. */
import { defined, isKnown } from "../../lib/unknown";
import { GB_PER_CU, type Profile } from "../../platform/profiles/profile";
import type { CheckedInputs } from "../parse-inputs";
import { NEVER_SUSPEND } from "../rules/autosuspend";
import type { EndpointState } from "../state";

/** A range of sizes in compute units, or of RAM in GB; a fixed size has both ends equal. */
export interface Range {
  min: number;
  max: number;
}

/** A value before and after a change; a missing or unknown side is absent. */
export interface BeforeAfter<T> {
  before?: T;
  after?: T;
}

/** The figures of a change, changed or not. */
export interface Figures {
  /** Postgres connections, and the autoscaling bound that determines them. */
  maxConnections?: BeforeAfter<number>;
  connectionsSetBy?: string;
  memoryGb?: BeforeAfter<Range>;
  sizeCu?: BeforeAfter<Range>;
  /** Seconds; 0 is the platform's default, -1 never, also for a size that never suspends. */
  suspendTimeoutSeconds?: BeforeAfter<number>;
}

/** The figures before and after a change, as far as known. */
export function figuresOf(was: EndpointState, becomes: EndpointState, profile: Profile | undefined): Figures {
  const [before, after] = [figuresIn(was, profile), figuresIn(becomes, profile)];
  const figures = (["maxConnections", "memoryGb", "sizeCu", "suspendTimeoutSeconds"] as const).flatMap((name) => {
    const sides = defined({ before: before[name], after: after[name] });
    return Object.keys(sides).length > 0 ? [[name, sides] as const] : [];
  });

  const isSet = profile !== undefined && after.maxConnections !== undefined;
  return { ...Object.fromEntries(figures), ...(isSet && { connectionsSetBy: profile.connectionsSetBy }) };
}

/** The known figures of one side. A size that the platform keeps active has the delay "never". */
function figuresIn(state: EndpointState, profile: Profile | undefined) {
  const known = (value: unknown) => (typeof value === "number" ? value : undefined);
  const [min, max] = [known(state.autoscalingLimitMinCu), known(state.autoscalingLimitMaxCu)];
  const sizeCu = min === undefined || max === undefined ? undefined : { min, max };
  const isAlwaysActive = sizeCu && sizeCu.max > (profile?.alwaysActiveAboveCu ?? Number.POSITIVE_INFINITY);

  return {
    maxConnections: profile?.maxConnections(min, max),
    memoryGb: sizeCu && { min: sizeCu.min * GB_PER_CU, max: sizeCu.max * GB_PER_CU },
    sizeCu,
    suspendTimeoutSeconds: isAlwaysActive ? NEVER_SUSPEND : known(state.suspendTimeoutSeconds),
  };
}

/** The state that the inputs ask for: known values, with the size as two limits. */
export function stateWanted(inputs: CheckedInputs): EndpointState {
  const { sizeCu, autoscalingLimitMinCu = sizeCu, autoscalingLimitMaxCu = sizeCu } = inputs;
  const limits = { autoscalingLimitMinCu, autoscalingLimitMaxCu };
  return Object.fromEntries(Object.entries({ ...inputs, ...limits }).filter(([, value]) => isKnown(value)));
}
