import { type Differences, differences } from "../../../../../provider/endpoint/differences";
import {
  type ChangeKind,
  type Impact,
  impactOf as impactOfPlanned,
} from "../../../../../provider/endpoint/impact/impact";
import type { CheckedInputs } from "../../../../../provider/endpoint/parse-inputs";
import { type EndpointProperty, endpointProperties } from "../../../../../provider/endpoint/properties";
import { UNKNOWN } from "../../../../../provider/lib/unknown";
import { specification } from "../../../../../provider/platform/profiles/profiles";

/** One side of a change, as the tables of the tests write it. */
export interface ImpactSide {
  type?: string;
  projectId?: string;
  branchId?: string;
  minCu?: number | undefined;
  maxCu?: number | undefined;
  suspendTimeoutSeconds?: number;
  disabled?: boolean;
  restartTrigger?: string;
  poolerEnabled?: boolean;
  poolerMode?: string;
  pgSettings?: Record<string, string>;
  preloadLibraries?: string[];
  passwordlessAccess?: boolean;
  host?: string;
}

/** A change, as the tables of the tests write it. */
export interface ImpactChange {
  kind: ChangeKind;
  before?: ImpactSide;
  after?: ImpactSide;
  /** The properties that had been set, and the only ones that may have changed; without it all may have. */
  changed?: readonly string[];
  /** Properties, or paths into them, whose new values are not known. */
  unknown?: readonly string[];
  deleteBeforeReplace?: boolean;
}

const sizes: readonly string[] = ["sizeCu", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"];

/** The impact of a change, by way of the comparison that the provider makes. */
export function impactOf(change: ImpactChange): Impact {
  const { kind, before = {}, deleteBeforeReplace = false } = change;
  const [state, inputs] = [propertiesOf(before), inputsOf(change)];
  return impactOfPlanned({
    kind,
    state,
    inputs,
    found: foundIn(change, { state, inputs }),
    deleteBeforeReplace,
    profile: specification,
  });
}

function foundIn(
  { changed }: ImpactChange,
  { state, inputs }: { state: Record<string, unknown>; inputs: Partial<CheckedInputs> },
): Differences {
  const named = changed && new Set(changed.map(rootOf).flatMap((name) => (sizes.includes(name) ? sizes : [name])));
  const found = differences(state, inputs, named ?? new Set());
  return Object.fromEntries(Object.entries(found).filter(([name]) => !named || named.has(name)));
}

function inputsOf({ before = {}, after = {}, unknown = [] }: ImpactChange): Partial<CheckedInputs> {
  const inputs = propertiesOf(after);
  for (const path of unknown) {
    const [name, part] = [rootOf(path), path.split(".")[1]];
    if (!endpointProperties.includes(name as EndpointProperty)) continue;
    inputs[name] = part === undefined ? UNKNOWN : { ...after.pgSettings, [part]: UNKNOWN };
  }
  const limits = { autoscalingLimitMinCu: before.minCu, autoscalingLimitMaxCu: before.maxCu };
  if (inputs.sizeCu === UNKNOWN) for (const limit of Object.keys(limits)) delete inputs[limit];
  // A program that gives one limit gives both.
  else if (Object.values(inputs).includes(UNKNOWN)) {
    const given = Object.keys(limits).some((limit) => inputs[limit] !== undefined);
    for (const [limit, value] of Object.entries(limits)) if (given) inputs[limit] ??= value;
  }
  return inputs as Partial<CheckedInputs>;
}

function propertiesOf({ minCu, maxCu, ...others }: ImpactSide): Record<string, unknown> {
  const all = { ...others, autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function rootOf(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path;
}

/** The names of the effects that an impact has, in a fixed order, so that a table can list them. */
export function effects({ restarts, dropsConnections, hostChanges, downtime }: Impact): string[] {
  return Object.entries({ restarts, dropsConnections, hostChanges, downtime })
    .filter(([, holds]) => holds)
    .map(([name]) => name);
}
