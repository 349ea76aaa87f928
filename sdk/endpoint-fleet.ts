import { CustomResource, type CustomResourceOptions, Output, RunError, runtime } from "@pulumi/pulumi";
import { hiddenInputs } from "./hidden-inputs";
import type { EndpointFleetArgs, FleetEndpoint } from "./model.gen";

/** An output that is never set: unknown in a preview. */
const UNSET = "__unset";

const TYPE = "pulumi-nodejs:dynamic/pgcompute:EndpointFleet";

/**
 * Many compute endpoints as one resource: a map of them by keys of your own. Needs no plugin: the program's own Node.js packages
 * bring the provider.
 */
export class EndpointFleet extends CustomResource {
  /** The endpoints by their keys, with what the program sets of each. */
  declare readonly endpoints: Output<Record<string, FleetEndpoint>>;

  /**
   * Declares a fleet. `customTimeouts` bound a change of the whole fleet; without them each member's operations are waited for up to 10
   * minutes. Throws for the option `import`: set `importId` of members, or use the plugin.
   */
  constructor(name: string, args: EndpointFleetArgs, options: CustomResourceOptions = {}) {
    if (options.import !== undefined) {
      // The engine shows a RunError without a stack trace.
      throw new RunError(
        `fleet "${name}": the resource option "import" needs the pgcompute plugin; without it, set \`importId\` of each member`,
      );
    }
    const hidden = hiddenInputs({ name, type: TYPE, args, options, provider: "fleetProvider" });
    const keep = (all: unknown) => withEveryKey(name, all);
    const endpoints = Output.isInstance(args.endpoints) ? args.endpoints.apply(keep) : keep(args.endpoints);
    const isPreview = runtime.isDryRun();
    const preview = isPreview ? { [UNSET]: undefined } : {};
    super(TYPE, name, { ...args, endpoints, ...hidden, ...preview }, options);
    if (isPreview) this.endpoints = withHosts(this.endpoints, Reflect.get(this, UNSET) as Output<undefined>);
  }
}

/**
 * The endpoints of a fleet, unknown in the preview of a change: there the engine gives the inputs as outputs, and without their hosts the
 * preview would show all hosts as removed.
 */
function withHosts(
  endpoints: Output<Record<string, FleetEndpoint>>,
  unknown: Output<undefined>,
): Output<Record<string, FleetEndpoint>> {
  return endpoints.apply((all) => {
    if (Object.values(all).every(({ host }) => host !== undefined)) return all;
    return unknown.apply(() => all);
  }) as Output<Record<string, FleetEndpoint>>;
}

/** Refuses the key `__proto__` here, since JavaScript or Pulumi's SDK would silently take it for the prototype. */
function withEveryKey<T>(fleet: string, endpoints: T): T {
  if (typeof endpoints !== "object" || endpoints === null) return endpoints;
  const isLost = Object.keys(Object.getPrototypeOf(endpoints) ?? {}).length > 0;
  if (isLost || Object.hasOwn(endpoints, "__proto__"))
    throw new RunError(`fleet "${fleet}": "__proto__" can be no key of endpoints`);
  return endpoints;
}
