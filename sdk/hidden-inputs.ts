/** Hidden inputs by which the classes pass data to their provider that the engine does not. */
import { type CustomResourceOptions, createUrn, isSecret, Output, type Resource } from "@pulumi/pulumi";
import {
  IGNORE_INPUT,
  REPLACE_INPUT,
  SECRET_INPUT,
  TIMEOUTS_INPUT,
  URN_INPUT,
} from "../provider/pulumi/dynamic/hidden";
import { assertOneCopy } from "../provider/pulumi/dynamic/second-copy";
import { type ProviderName, providerText } from "./provider-text";

/** Depth to which secrets are located: a fleet's map, a member, a property. */
const DEPTH = 3;

/** A resource that is being declared. */
interface Declared {
  name: string;
  type: string;
  args: object;
  options: CustomResourceOptions;
  provider: ProviderName;
}

/** The hidden inputs of a new resource. Throws if the program runs on another copy of `@pulumi/pulumi`. */
export function hiddenInputs({ name, type, args, options, provider }: Declared): Record<string, unknown> {
  assertOneCopy();
  const { parent, customTimeouts, replaceOnChanges, ignoreChanges } = options;
  return {
    __provider: providerText(provider),
    [URN_INPUT]: urnOf(name, type, parent),
    [SECRET_INPUT]: secretPaths(args, options.additionalSecretOutputs),
    ...(customTimeouts && { [TIMEOUTS_INPUT]: customTimeouts }),
    ...(replaceOnChanges && { [REPLACE_INPUT]: replaceOnChanges }),
    ...(ignoreChanges && { [IGNORE_INPUT]: ignoreChanges }),
  };
}

/** The paths of the secrets; undefined, which is no input, without any. */
async function secretPaths(args: object, outputs: readonly string[] = []): Promise<string[][] | undefined> {
  // A failing argument reports itself.
  const found = await secretsWithin(args).catch(() => []);
  const all = [...found, ...outputs.map((name) => [name])];
  return all.length > 0 ? all : undefined;
}

/** The paths of the secrets in arguments. Fails if an argument fails. */
export async function secretsWithin(value: unknown, path: readonly string[] = []): Promise<string[][]> {
  if (Output.isInstance(value)) return (await isSecret(value)) ? [[...path]] : [];
  if (value instanceof Promise) return secretsWithin(await value, path);
  if (typeof value !== "object" || value === null) return [];
  if (path.length > DEPTH) return [];
  const within = Object.entries(value).map(([name, one]) => secretsWithin(one, [...path, name]));
  return (await Promise.all(within)).flat();
}

/**
 * The URN of a new resource, as a promise: an output of a component would wait for all its parts, and two parts for
 * each other.
 */
function urnOf(name: string, type: string, parent: Resource | undefined): Promise<string> {
  const urn = createUrn(name, type, parent) as unknown as { promise(): Promise<string> };
  return urn.promise();
}
