import { CustomResource, type CustomResourceOptions, RunError } from "@pulumi/pulumi";
import { endpointOutputs } from "../provider/endpoint/outputs";
import { endpointModel } from "../provider/endpoint/properties";
import { hiddenInputs } from "./hidden-inputs";
import { keepOutputs } from "./kept-outputs";
import type { EndpointArgs, EndpointProperties } from "./model.gen";

const TYPE = "pulumi-nodejs:dynamic/pgcompute:Endpoint";

// A property is an output of the resource only if the constructor names it.
const names = Object.keys({ ...endpointModel.shape, ...endpointOutputs.shape });
const properties = Object.fromEntries(names.map((name) => [name, undefined]));

/** The endpoint's properties, as the engine sets them. */
export interface Endpoint extends EndpointProperties {}

/**
 * A compute endpoint: the Postgres compute of a branch. Needs no plugin: the program's Node.js packages include the
 * provider. Configuration: `pgcompute:apiKey` or `PGCOMPUTE_API_KEY`, and `pgcompute:baseUrl`.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor names every property of the model
export class Endpoint extends CustomResource {
  /**
   * Declares an endpoint. `customTimeouts` limit a whole change; without them the platform's operations may take 10
   * minutes. Throws for the option `import`: set `adoptExisting`, or use the plugin.
   */
  constructor(name: string, args: EndpointArgs, options: CustomResourceOptions = {}) {
    if (options.import !== undefined) {
      // The engine shows a RunError without a stack trace.
      throw new RunError(
        `endpoint "${name}": the resource option "import" needs the pgcompute plugin; without it, set ` +
          "`adoptExisting: true` to take over a branch's read-write endpoint",
      );
    }
    const hidden = hiddenInputs({ name, type: TYPE, args, options, provider: "provider" });
    super(TYPE, name, { ...properties, ...args, ...hidden }, options);
    keepOutputs(this);
  }
}
