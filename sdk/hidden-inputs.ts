/** What the classes tell their provider beside the arguments, since the engine does not. */
import { type CustomResourceOptions, createUrn, isSecret, Output, type Resource } from "@pulumi/pulumi";
import { REPLACE_INPUT, SECRET_INPUT, TIMEOUTS_INPUT, URN_INPUT } from "../provider/pulumi/dynamic/hidden";
import { assertOneCopy } from "../provider/pulumi/dynamic/second-copy";
import { type ProviderName, providerText } from "./provider-text";

/** How deep secrets are told apart: a fleet's map, a member, a property. */
const DEPTH = 3;

/** A resource that is being declared. */
interface Declared {
  name: string;
  type: string;
  args: object;
  options: CustomResourceOptions;
  provider: ProviderName;
}

/** The hidden inputs of a new resource. Throws where its program runs by another copy of `@pulumi/pulumi`. */
export function hiddenInputs({ name, type, args, options, provider }: Declared): Record<string, unknown> {
  assertOneCopy();
  const { parent, customTimeouts, replaceOnChanges } = options;
  return {
    __provider: providerText(provider),
    [URN_INPUT]: urnOf(name, type, parent),
    [SECRET_INPUT]: secretPaths(args, options.additionalSecretOutputs),
    ...(customTimeouts && { [TIMEOUTS_INPUT]: customTimeouts }),
    ...(replaceOnChanges && { [REPLACE_INPUT]: replaceOnChanges }),
  };
}

/** The paths of what is secret; undefined, which is no input, if there are none. */
async function secretPaths(args: object, outputs: readonly string[] = []): Promise<string[][] | undefined> {
  // An argument that fails says so itself.
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
 * The URN that a new resource will have. A promise, too: as an output of a component it would wait for all of its parts, and two parts
 * would wait for each other.
 */
function urnOf(name: string, type: string, parent: Resource | undefined): Promise<string> {
  const urn = createUrn(name, type, parent) as unknown as { promise(): Promise<string> };
  return urn.promise();
}
