/** Outputs that a change in place leaves alone, known in its preview: the engine hands over none of a dynamic resource. */
import { type CustomResource, type Output, output, runtime } from "@pulumi/pulumi";
import { readEndpoint } from "../provider/pulumi/dynamic/functions";
import type { EndpointInfo } from "./model.gen";

/** The outputs that no change in place alters. */
const kept = ["endpointId", "host", "pooledHost", "proxyHost", "regionId", "createdAt"] as const;

/** Has a preview read the kept outputs from the platform where only the id of the endpoint is known. */
export function keepOutputs(endpoint: CustomResource): void {
  if (!runtime.isDryRun()) return;
  let reading: Promise<Partial<EndpointInfo>> | undefined;
  const read = (id: string) => {
    // A preview that cannot read them shows them as unknown.
    reading ??= readEndpoint(id).catch(() => ({}));
    return reading;
  };

  for (const name of kept) {
    const own = Reflect.get(endpoint, name) as Output<unknown>;
    Reflect.set(endpoint, name, output(keptValue(own, name)));
  }

  async function keptValue(own: Output<unknown>, name: (typeof kept)[number]): Promise<Output<unknown>> {
    if ((await isKnown(own)) || !(await isKnown(endpoint.id))) return own;
    const id = await promiseOf(endpoint.id);
    const value = (await read(id))[name];
    return value === undefined ? own : endpoint.id.apply(() => value);
  }
}

/** True where a preview knows the value; Pulumi's types hide it. */
function isKnown(one: Output<unknown>): Promise<boolean> {
  return (one as unknown as { isKnown: Promise<boolean> }).isKnown;
}

function promiseOf<T>(one: Output<T>): Promise<T> {
  return (one as unknown as { promise(): Promise<T> }).promise();
}
