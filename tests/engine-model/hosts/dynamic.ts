/** The dynamic providers in the test's process, called as the launcher of Pulumi's Node.js SDK does. */
import { createProviders, openSession } from "../../../provider/pulumi/dynamic/provider";
import { PartialFailure } from "../deployment/resource";
import { isFleet, nameOf } from "../names";
import type { Values } from "../words";
import { environment, type Host, type Opened, outsideOf } from "./host";

/** Any that is well formed: the account is the test's own. */
const rawConfig = { "pgcompute:apiKey": "test" };

/** Opens the providers, and configures them as the launcher does. */
export async function openDynamic(opened: Opened): Promise<Host> {
  const session = openSession(undefined, environment, outsideOf(opened));
  const { provider, fleetProvider } = createProviders(session);
  session.configure({ config: { get: () => undefined, rawConfig } });
  const of = (urn: string) => (isFleet(nameOf(urn)) ? fleetProvider : provider);

  return {
    cancel: session.cancel,
    check: async ({ urn, olds = {}, news }) => of(urn).check(copied(olds), copied(news)),
    diff: async ({ urn, id, oldOutputs, inputs }) => {
      const found = await of(urn).diff(id, copied(oldOutputs), copied(inputs));
      const { changes, replaces, deleteBeforeReplace: deletesFirst } = found;
      return { changes, replaces: replaces.length > 0, deletesFirst, told: { diffs: [], replaces } };
    },
    // The launcher supports no preview: the engine asks for nothing.
    create: async ({ urn, inputs, isPreview }) => {
      if (isPreview) return { id: "", outputs: {} };
      const { id, outs } = await of(urn).create(copied(inputs)).catch(failed);
      return { id, outputs: copied(outs) };
    },
    update: async ({ urn, id, oldOutputs, inputs, isPreview }) => {
      if (isPreview) return { outputs: {} };
      const { outs } = await of(urn).update(id, copied(oldOutputs), copied(inputs)).catch(failed);
      return { outputs: copied(outs) };
    },
    read: async ({ urn, id, outputs = {} }) => {
      const found = await of(urn).read(id, copied(outputs));
      if (found.id === "") return { id: "" };
      return { id: found.id, inputs: copied(found.inputs), outputs: copied(found.props) };
    },
    delete: async ({ urn, id, outputs }) => of(urn).delete(id, copied(outputs)),
  };
}

/** Values as they are once they have gone through the protocol. */
function copied(values: Values): Values {
  return JSON.parse(JSON.stringify(values)) as Values;
}

/** What the launcher makes of an error that has an id. */
function failed(error: Error & { id?: string; properties?: Values; reasons?: readonly string[] }): never {
  if (error.id === undefined) throw error;
  throw new PartialFailure(error.id, copied(error.properties ?? {}), error.message, error.reasons);
}
