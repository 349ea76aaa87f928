/** The rules, testable without an engine. Each returns what is wrong, or nothing. */

/** The inputs of an endpoint that the rules look at. */
export interface EndpointProps {
  sizeCu?: number;
  autoscalingLimitMaxCu?: number;
  suspendTimeoutSeconds?: number;
  type?: string;
}

/** What the rules are configured with. */
export interface Settings {
  /** Names of the stacks that are production. */
  productionStacks: string[];
  /** How the names of the stacks of pull requests begin. */
  previewPrefix: string;
  /** The largest size outside production, in CU. */
  maxSizeCu: number;
  /** The longest autosuspend delay of a preview, in seconds. */
  maxSuspendSeconds: number;
}

export const defaults: Settings = {
  productionStacks: ["prod", "production"],
  previewPrefix: "pr-",
  maxSizeCu: 2,
  maxSuspendSeconds: 600,
};

/** After how many seconds the platform suspends an endpoint that sets no delay, or 0. */
const DEFAULT_SUSPEND_SECONDS = 300;

/** An endpoint that the rules look at: a resource of its own, or a member of a fleet. */
export interface Subject {
  /** The member's key in its fleet. */
  key?: string;
  props: EndpointProps;
  isProtected: boolean;
}

/** The inputs of a fleet that the rules look at. */
interface FleetProps {
  defaults?: EndpointProps;
  endpoints?: Record<string, EndpointProps & { protect?: boolean }>;
}

/** The endpoints of a resource, of the plugin or of a TypeScript program without it; none of any other type. */
export function endpointsOf(type: string, props: unknown, isProtected: boolean): Subject[] {
  const kind = /^(?:pgcompute:index:|pulumi-nodejs:dynamic\/pgcompute:)(Endpoint|EndpointFleet)$/.exec(type)?.[1];
  if (kind === undefined) return [];
  if (kind === "Endpoint") return [{ props: props as EndpointProps, isProtected }];
  const { defaults = {}, endpoints = {} } = props as FleetProps;
  return Object.entries(endpoints).map(([key, member]) => ({
    key,
    props: { ...(setsSize(member) ? withoutSize(defaults) : defaults), ...member },
    // The resource's own option guards only the fleet as a whole.
    isProtected: member.protect === true,
  }));
}

/** A member that sets any size has none of the defaults'. */
function setsSize({ sizeCu, autoscalingLimitMaxCu }: EndpointProps): boolean {
  return sizeCu !== undefined || autoscalingLimitMaxCu !== undefined;
}

function withoutSize({ sizeCu: _, autoscalingLimitMaxCu: __, ...rest }: EndpointProps): EndpointProps {
  return rest;
}

/** The stack of a URN, `urn:pulumi:STACK::PROJECT::TYPE::NAME`. */
export function stackOf(urn: string): string {
  return urn.split("::")[0]?.replace("urn:pulumi:", "") ?? "";
}

/** No size above the limit outside production. */
export function checkSize(stack: string, props: EndpointProps, settings: Settings): string | undefined {
  const size = props.sizeCu ?? props.autoscalingLimitMaxCu;
  if (settings.productionStacks.includes(stack) || size === undefined || size <= settings.maxSizeCu) return undefined;
  return `${size} CU is more than the ${settings.maxSizeCu} CU that stacks outside production may have`;
}

/** Previews suspend by themselves, and soon. */
export function checkAutosuspend(stack: string, props: EndpointProps, settings: Settings): string | undefined {
  if (!stack.startsWith(settings.previewPrefix)) return undefined;
  const delay = props.suspendTimeoutSeconds || DEFAULT_SUSPEND_SECONDS;
  if (delay === -1) return "a preview has to suspend when nobody uses it: suspendTimeoutSeconds must not be -1";
  if (delay <= settings.maxSuspendSeconds) return undefined;
  return `a preview has to suspend within ${settings.maxSuspendSeconds} seconds, not ${delay}`;
}

/** The inputs with a delay that `checkAutosuspend` accepts, for a fleet of each member; nothing if all pass already. */
export function withAutosuspend<T extends object>(
  stack: string,
  type: string,
  props: T,
  settings: Settings,
): T | undefined {
  const failing = endpointsOf(type, props, false).filter((one) => checkAutosuspend(stack, one.props, settings));
  if (failing.length === 0) return undefined;
  const { endpoints } = props as FleetProps;
  // Set in place: a copy would have what is secret in the clear.
  for (const { key } of failing) {
    const one = (key === undefined ? props : endpoints?.[key]) as EndpointProps;
    one.suspendTimeoutSeconds = Math.min(settings.maxSuspendSeconds, DEFAULT_SUSPEND_SECONDS);
  }
  return props;
}

/** Read-write endpoints in production are protected, so that the engine refuses to replace or delete them. */
export function checkProtection(
  stack: string,
  props: EndpointProps,
  isProtected: boolean,
  settings: Settings,
): string | undefined {
  if (!settings.productionStacks.includes(stack) || props.type === "read_only" || isProtected) return undefined;
  return "production endpoints need the resource option protect: true, so that no change can replace or delete them (in a fleet, of the member)";
}
