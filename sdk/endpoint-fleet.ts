import { CustomResource, type CustomResourceOptions, Output, RunError, runtime } from "@pulumi/pulumi";
import { hiddenInputs } from "./hidden-inputs";
import type { EndpointFleetArgs, FleetEndpoint } from "./model.gen";

/** An output that never gets a value: unknown in a preview. */
const UNSET = "__unset";

const TYPE = "pulumi-nodejs:dynamic/pgcompute:EndpointFleet";

/**
 * Many compute endpoints as one resource, by keys of your own. Needs no plugin: the program's Node.js packages include
 * the provider.
 */
export class EndpointFleet extends CustomResource {
  /** The endpoints by key, with the values that the program sets. */
  declare readonly endpoints: Output<Record<string, FleetEndpoint>>;

  /**
   * Declares a fleet. `customTimeouts` limit a whole change; without them each member's operations may take 10 minutes.
   * Throws for the option `import`: set members' `importId`, or use the plugin.
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

/** A fleet's endpoints, unknown in the preview of a change, where the engine would show all hosts as removed. */
function withHosts(
  endpoints: Output<Record<string, FleetEndpoint>>,
  unknown: Output<undefined>,
): Output<Record<string, FleetEndpoint>> {
  return endpoints.apply((all) => {
    if (Object.values(all).every(({ host }) => host !== undefined)) return all;
    return unknown.apply(() => all);
  }) as Output<Record<string, FleetEndpoint>>;
}

/** Refuses the key `__proto__`, which JavaScript or Pulumi's SDK would silently take as the prototype. */
function withEveryKey<T>(fleet: string, endpoints: T): T {
  if (typeof endpoints !== "object" || endpoints === null) return endpoints;
  const isLost = Object.keys(Object.getPrototypeOf(endpoints) ?? {}).length > 0;
  if (isLost || Object.hasOwn(endpoints, "__proto__"))
    throw new RunError(`fleet "${fleet}": "__proto__" can be no key of endpoints`);
  return endpoints;
}
