/** The dynamic provider of `pgcompute/EndpointFleet`: translates between the launcher of Pulumi's Node.js SDK and the fleet's verbs. */
import { BOOKKEEPING } from "../../endpoint/state";
import { droppedByMember } from "../../fleet/notes";
import { parseFleet } from "../../fleet/parse-fleet";
import { isKind } from "../../platform/errors";
import { checkFleet } from "../fleet/check";
import { createFleet, diffFleet, readFleetState, removeFleet, updateFleet } from "../fleet/lifecycle";
import { secretsOfFleet, secretsOfInputs, showableInFleet } from "../fleet/secrets";
import { messageFor } from "../kind-advice";
import { type Values as Given, markSecrets, readable } from "../secrets";
import { afterOf, deleteTimeoutChange, hiddenOf, SECRET_INPUT, timeoutOf, urnOf, withSecretPaths } from "./hidden";
import type { DynamicSession } from "./session";
import { fromEngine, toEngine } from "./unknown";

type Values = Record<string, unknown>;

/** The provider of fleets. This host shows no outputs in a preview, and no diff in detail. */
export function createFleetProvider(session: DynamicSession) {
  const { contextFor, guarded } = session;
  return {
    configure: session.configure,

    check: (oldValues: Values, newValues: Values) => {
      const given = withSecretPaths(newValues, oldValues);
      return guarded(given, {}, async () => {
        const [olds, news] = [fromEngine(oldValues), fromEngine(newValues)];
        const members = parseFleet(news).members ?? new Map();
        if (session.failures.length > 0) return { inputs: newValues, failures: session.failures };
        try {
          const call = { ...contextFor(urnOf(news), given), after: afterOf(news) };
          const result = await checkFleet(call, { olds, news, secrets: given.secrets, notesDropped: true });
          // Later calls see each member whole, and no longer that a value came from the defaults.
          const secrets = secretsOfInputs(withSecretPaths(news).secrets, members.values());
          const inputs = markSecrets(toEngine(result.inputs), secrets);
          if (secrets.length > 0) inputs[SECRET_INPUT] = secrets;
          return { inputs, failures: result.failures.map((one) => showableInFleet(one, given, members)) };
        } catch (error) {
          if (!isKind(error, "unauthorized", "forbidden")) throw error;
          // No property is to blame for the key.
          return { inputs: newValues, failures: [{ property: "", reason: readable(messageFor(error), given) }] };
        }
      });
    },

    diff: (id: string, state: Values, newValues: Values) => {
      const given = withSecretPaths(newValues, state);
      return guarded(given, {}, async () => {
        const inputs = fromEngine(newValues);
        const call = { ...contextFor(urnOf(newValues, state), given), after: afterOf(inputs) };
        const fleet = { id, state, inputs, oldInputs: droppedByMember(inputs), secrets: given.secrets };
        const { changes } = await diffFleet(call, fleet);
        const timeout = deleteTimeoutChange(state, inputs);
        if (timeout !== undefined) call.reporter.info(timeout);
        return { changes: changes || timeout !== undefined, replaces: [], deleteBeforeReplace: false };
      });
    },

    create: (inputs: Values) => {
      const given = withSecretPaths(inputs);
      const mark = marking(given);
      const hidden = hiddenOf(inputs);
      return guarded(
        given,
        hidden,
        async () => {
          const { id, state } = await createFleet(
            contextFor(urnOf(inputs), given, timeoutOf(inputs, "create")),
            inputs,
          );
          return { id, outs: { ...hidden, ...mark({ ...state }) } };
        },
        mark,
      );
    },

    read: (id: string, state: Values) => {
      const given = withSecretPaths(state);
      return guarded(given, {}, async () => {
        const { [BOOKKEEPING]: _, ...hidden } = hiddenOf(state);
        const found = await readFleetState(contextFor(urnOf(state), given), { id, state, inputs: {} });
        const members = parseFleet(found.inputs).members ?? new Map();
        return {
          id: found.id,
          props: { ...hidden, ...marking(given)({ ...found.state }) },
          inputs: { ...hidden, ...markSecrets({ ...found.inputs }, secretsOfInputs(given.secrets, members.values())) },
        };
      });
    },

    update: (id: string, state: Values, inputs: Values) => {
      const given = withSecretPaths(inputs, state);
      const mark = marking(given);
      const { [BOOKKEEPING]: _, ...hidden } = hiddenOf(inputs);
      return guarded(
        given,
        hidden,
        async () => {
          const call = contextFor(urnOf(inputs, state), given, timeoutOf(inputs, "update"));
          const result = await updateFleet(call, { id, state, inputs, oldInputs: droppedByMember(inputs) });
          return { outs: { ...hidden, ...mark({ ...result.state }) } };
        },
        mark,
      );
    },

    delete: (id: string, state: Values) => {
      const given = withSecretPaths(state);
      return guarded(given, {}, () =>
        removeFleet(contextFor(urnOf(state), given, timeoutOf(state, "delete")), { id, state }),
      );
    },
  };
}

/** Marks what of a fleet's outputs is secret: this host is given every value in the clear. */
function marking({ values, secrets }: Given): (state: Values) => Values {
  const members = parseFleet(values).members ?? new Map();
  return (state) => markSecrets(state, secretsOfFleet(secrets, members.values()));
}
