/** The dynamic provider of `pgcompute/EndpointFleet`: translates between the launcher of Pulumi's Node.js SDK and the fleet's verbs. */
import { DRIFTED } from "../../endpoint/input-notes";
import { BOOKKEEPING } from "../../endpoint/state";
import { fleetProperties } from "../../fleet/model";
import { droppedByMember, parseFleet } from "../../fleet/parse-fleet";
import { isRecord } from "../../lib/unknown";
import { orRefusedKey } from "../check";
import { checkFleet } from "../fleet/check";
import { createFleet, diffFleet, readFleetState, removeFleet, updateFleet } from "../fleet/lifecycle";
import { redactFleetFailure, sealed, secretsOfFleet, secretsOfInputs, stillSecretInFleet } from "../fleet/secrets";
import { type MarkedValues, markSecrets, type Path } from "../secrets";
import {
  afterOf,
  deleteTimeoutMessage,
  driftedIn,
  hiddenOf,
  SECRET_INPUT,
  SHARED_INPUT,
  timeoutOf,
  urnOf,
  withSecrets,
} from "./hidden";
import { type DynamicSession, fromEngine, toEngine } from "./session";

type Values = Record<string, unknown>;

const shared = fleetProperties.filter((name) => name !== "endpoints");

/** The provider of fleets. This host shows no outputs in a preview, and no diff in detail. */
export function createFleetProvider(session: DynamicSession) {
  const { contextFor, guarded } = session;
  return {
    configure: session.configure,

    check: (oldValues: Values, newValues: Values) => {
      const given = withSecrets(newValues, oldValues);
      return guarded(given, {}, async () => {
        const [olds, news] = [fromEngine(oldValues), fromEngine(newValues)];
        const members = parseFleet(news).members ?? new Map();
        if (session.failures.length > 0) return { inputs: newValues, failures: session.failures };
        const call = { ...contextFor(urnOf(news), given), after: afterOf(news) };
        const result = await orRefusedKey(news, () =>
          checkFleet(call, { olds, news, secrets: given.secrets, notesDropped: true }),
        );
        // Later calls see each member whole, and no longer that a value came from the defaults.
        const secrets = secretsOfInputs(withSecrets(news).secrets, members.values());
        const inputs = markSecrets(toEngine({ ...result.inputs, ...sharedIn(news) }), [
          ...secrets,
          ...secretsOfShared(secrets),
        ]);
        if (secrets.length > 0) inputs[SECRET_INPUT] = secrets;
        return { inputs, failures: result.failures.map((one) => redactFleetFailure(one, given, members)) };
      });
    },

    diff: (id: string, state: Values, newValues: Values) => {
      const given = withSecrets(newValues, state);
      return guarded(given, {}, async () => {
        const inputs = fromEngine(newValues);
        const call = { ...contextFor(urnOf(newValues, state), given), after: afterOf(inputs) };
        const fleet = { id, state, inputs, oldInputs: droppedByMember(inputs), secrets: given.secrets };
        const { changes } = await diffFleet(call, fleet);
        const timeout = deleteTimeoutMessage(state, inputs);
        if (timeout !== undefined) call.reporter.info(timeout);
        return { changes: changes || timeout !== undefined, replaces: [], deleteBeforeReplace: false };
      });
    },

    create: (inputs: Values) => {
      const given = withSecrets(inputs);
      const mark = marking(given);
      const hidden = mark(hiddenOf(inputs));
      return guarded(
        given,
        hidden,
        async () => {
          const call = { ...contextFor(urnOf(inputs), given, timeoutOf(inputs, "create")), after: afterOf(inputs) };
          const { id, state } = await createFleet(call, inputs);
          return { id, outs: { ...hidden, ...mark(state) } };
        },
        mark,
      );
    },

    read: (id: string, state: Values) => {
      const given = withSecrets(state);
      return guarded(given, {}, async () => {
        const mark = marking(given, stillSecretInFleet(given, new Map()));
        const { [BOOKKEEPING]: _, ...hidden } = mark(hiddenOf(state));
        const inputs = {
          ...(isRecord(state[SHARED_INPUT]) && state[SHARED_INPUT]),
          // What the members were, and what of that the last refresh had found: what drifted stays noted.
          endpoints: state.endpoints,
          [DRIFTED]: state[DRIFTED],
        };
        const found = await readFleetState(contextFor(urnOf(state), given), { id, state, inputs });
        const members = parseFleet(found.inputs).members ?? new Map();
        return {
          id: found.id,
          props: { ...hidden, ...driftedIn(found.inputs), ...mark(found.state) },
          inputs: { ...hidden, ...markSecrets(found.inputs, secretsOfInputs(given.secrets, members.values())) },
        };
      });
    },

    update: (id: string, state: Values, inputs: Values) => {
      const given = withSecrets(inputs, state);
      const own = withSecrets(inputs);
      const still = stillSecretInFleet(withSecrets(state), parseFleet(inputs).members ?? new Map());
      const mark = marking(own, still);
      const { [BOOKKEEPING]: _, ...others } = mark(hiddenOf(inputs));
      const hidden = { ...others, ...driftedIn(inputs) };
      const noted = [...own.secrets, ...still];
      return guarded(
        given,
        // What was to go, and has not gone, is a secret in later calls as well.
        noted.length > 0 ? { ...hidden, [SECRET_INPUT]: noted } : hidden,
        async () => {
          const context = contextFor(urnOf(inputs, state), given, timeoutOf(inputs, "update"));
          const call = { ...context, after: afterOf(inputs) };
          const result = await updateFleet(call, { id, state, inputs, oldInputs: droppedByMember(inputs) });
          return { outs: { ...hidden, ...mark(result.state) } };
        },
        mark,
      );
    },

    delete: (id: string, state: Values) => {
      const given = withSecrets(state);
      return guarded(given, {}, () =>
        removeFleet(contextFor(urnOf(state), given, timeoutOf(state, "delete")), { id, state }),
      );
    },
  };
}

/** Marks what of a fleet's outputs is secret, and `still` is: this host is given every value in the clear. */
function marking({ values, secrets }: MarkedValues, still: readonly Path[] = []): (state: Values) => Values {
  const members = parseFleet(values).members ?? new Map();
  const places = [...secretsOfFleet(secrets, members.values()), ...still, ...secretsOfShared(secrets)];
  return (state) => {
    const { values: outputs, secrets: all } = sealed(state, places);
    return markSecrets(outputs, all);
  };
}

/** What the program says of all members, as the note that the state has of it. */
function sharedIn(news: Values): Values {
  const said = shared.filter((name) => news[name] !== undefined && news[name] !== null);
  return said.length === 0 ? {} : { [SHARED_INPUT]: Object.fromEntries(said.map((name) => [name, news[name]])) };
}

function secretsOfShared(secrets: readonly Path[]): Path[] {
  return secrets.filter(([top]) => shared.includes(String(top))).map((path) => [SHARED_INPUT, ...path]);
}
