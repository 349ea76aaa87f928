import { type CustomResourceOptions, isSecret, output, RunError } from "@pulumi/pulumi";
import { endpointOutputs } from "../provider/endpoint/outputs";
import { endpointModel } from "../provider/endpoint/properties";
import { AFTER_INPUT, REPLACE_INPUT, SECRET_INPUT, TIMEOUTS_INPUT, URN_INPUT } from "../provider/pulumi/dynamic/hidden";
import { type EndpointArgs, EndpointProperties } from "./model.gen";
import { urnOf, urnsBefore } from "./order";

const TYPE = "pulumi-nodejs:dynamic/pgcompute:Endpoint";

// The provider's text in the state: short, without secrets, and the same after every release.
const PROVIDER = 'exports.handler=()=>require("pulumi-pgcompute/dynamic").provider';

// A property is an output of the resource only where the constructor names it.
const names = Object.keys({ ...endpointModel.shape, ...endpointOutputs.shape });
const properties = Object.fromEntries(names.map((name) => [name, undefined]));

/**
 * A compute endpoint: the Postgres compute of a branch. Needs no plugin: the program's own Node.js packages
 * bring the provider. Configuration: `pgcompute:apiKey` or `PGCOMPUTE_API_KEY`, and `pgcompute:baseUrl`.
 */
export class Endpoint extends EndpointProperties {
  /**
   * Declares an endpoint. `customTimeouts` bound a whole change; without them the platform's operations are waited for up to 10 minutes.
   * Throws for the option `import`: set `adoptExisting`, or use the plugin.
   */
  constructor(name: string, args: EndpointArgs, options: CustomResourceOptions = {}) {
    if (options.import !== undefined) {
      // The engine shows a RunError without a stack trace.
      throw new RunError(
        `endpoint "${name}": the resource option "import" needs the pgcompute plugin; without it, set ` +
          "`adoptExisting: true` to take over a branch's read-write endpoint",
      );
    }
    const hidden = {
      __provider: PROVIDER,
      [URN_INPUT]: urnOf(name, TYPE, options.parent),
      [SECRET_INPUT]: secretsAmong(args, options.additionalSecretOutputs),
      // An argument that fails says so itself.
      [AFTER_INPUT]: urnsBefore({ ...args }, options, () => this).catch(() => []),
      ...(options.customTimeouts ? { [TIMEOUTS_INPUT]: options.customTimeouts } : {}),
      ...(options.replaceOnChanges ? { [REPLACE_INPUT]: options.replaceOnChanges } : {}),
    };
    super(TYPE, name, { ...properties, ...args, ...hidden }, options);
  }
}

/** The names of the properties with secrets; undefined, which is no input, if there are none. */
async function secretsAmong(args: EndpointArgs, outputs: readonly string[] = []): Promise<string[] | undefined> {
  const found = Object.entries(args).map(async ([name, value]) => ((await isSecret(output(value))) ? [name] : []));
  // An argument that fails says so itself.
  const names = [...(await Promise.all(found).catch(() => [])).flat(), ...outputs];
  return names.length > 0 ? [...new Set(names)].sort() : undefined;
}
