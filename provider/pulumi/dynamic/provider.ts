/** The dynamic providers: what the launcher of Pulumi's Node.js SDK hands over becomes calls of a kind of resource. They decide nothing themselves. */
import { DRIFTED } from "../../endpoint/input-notes";
import { BOOKKEEPING } from "../../endpoint/state";
import { fleetProperties } from "../../fleet/model";
import { isRecord } from "../../lib/unknown";
import { orRefusedKey } from "../check";
import { endpointKind, fleetKind, type Kind } from "../kinds";
import { type MarkedValues, markSecrets, type Path, secretsOfState } from "../secrets";
import {
  afterOf,
  deleteTimeoutMessage,
  driftedIn,
  hiddenOf,
  noteSecrets,
  replaceOnChangesOf,
  SHARED_INPUT,
  timeoutOf,
  urnOf,
  withoutHidden,
  withSecrets,
} from "./hidden";
import { type DynamicSession, fromEngine, toEngine } from "./session";

type Values = Record<string, unknown>;

/** What a fleet's program says of all its members. */
const shared = fleetProperties.filter((name) => name !== "endpoints");

/** The provider of `pgcompute/Endpoint`. */
export function createDynamicProvider(session: DynamicSession) {
  return createProvider(session, endpointKind);
}

/** The provider of `pgcompute/EndpointFleet`. */
export function createFleetProvider(session: DynamicSession) {
  return createProvider(session, fleetKind);
}

/** This host shows no outputs in a preview, and no diff in detail. */
function createProvider(session: DynamicSession, kind: Kind) {
  const { guarded } = session;
  const contextFor = (given: MarkedValues, sources: readonly Values[], timeoutMs?: number) => ({
    ...session.contextFor(urnOf(...sources), given, timeoutMs),
    after: sources[0] && afterOf(sources[0]),
  });
  return {
    configure: session.configure,

    check: (oldValues: Values, newValues: Values) => {
      const given = withSecrets(newValues, oldValues);
      return guarded(given, async () => {
        const [olds, news] = [fromEngine(oldValues), fromEngine(newValues)];
        const shown = kind.redactor({ ...given, values: news });
        if (session.failures.length > 0) {
          return { inputs: newValues, failures: [...session.failures, ...kind.formFailures(news).map(shown)] };
        }
        const call = contextFor(given, [news]);
        // Later calls are not given the old inputs: the note tells them what the program has stopped setting.
        const { inputs, failures } = await orRefusedKey(news, () =>
          kind.check(call, { olds, news, secrets: given.secrets, notesDropped: true }),
        );
        // Later calls see each member whole, and no longer that a value came from the defaults.
        const secrets = kind.inputSecrets({ ...withSecrets(newValues), values: news });
        const noted = markSecrets(toEngine({ ...inputs, ...sharedIn(news) }), [
          ...secrets,
          ...secretsOfShared(secrets),
        ]);
        return { inputs: { ...noted, ...noteSecrets(secrets) }, failures: failures.map(shown) };
      });
    },

    diff: (id: string, state: Values, newValues: Values) => {
      const given = withSecrets(newValues, state);
      return guarded(given, async () => {
        const inputs = fromEngine(newValues);
        const call = contextFor(given, [inputs, state]);
        const oldInputs = kind.noted(inputs);
        const replaceOnChanges = replaceOnChangesOf(inputs);
        const result = await kind.diff(call, {
          id,
          state,
          inputs,
          oldInputs,
          secrets: given.secrets,
          replaceOnChanges,
        });
        const timeout = deleteTimeoutMessage(state, inputs);
        if (timeout !== undefined) call.reporter.info(timeout);
        const { properties = {}, deleteBeforeReplace = false } = "properties" in result ? result : {};
        const replaces = Object.entries(properties).filter(([, { replaces }]) => replaces !== undefined);
        return {
          changes: result.changes || timeout !== undefined,
          replaces: replaces.map(([property]) => property),
          deleteBeforeReplace,
        };
      });
    },

    create: (inputs: Values) => {
      const given = withSecrets(inputs);
      const mark = marking(kind, given);
      const outputsOf = (state: Values) => ({ ...mark(hiddenOf(inputs)), ...mark(state) });
      const work = async () => {
        const call = contextFor(given, [inputs], timeoutOf(inputs, "create"));
        const { id, state } = await kind.create(call, fromEngine(inputs));
        return { id, outs: outputsOf(state) };
      };
      return guarded(given, work, outputsOf);
    },

    read: (id: string, state: Values) => {
      const given = withSecrets(state);
      return guarded(given, async () => {
        const found = await kind.read(contextFor(given, [state]), { id, state, inputs: inputsIn(state) });
        if (!found) return { id: "", props: {}, inputs: {} };
        const mark = marking(kind, given, kind.stillSecret(given, withSecrets({})));
        const secrets = kind.inputSecrets({ values: found.inputs, secrets: given.secrets });
        const { [BOOKKEEPING]: _, ...hidden } = mark(hiddenOf(state));
        return {
          id: found.id,
          props: { ...hidden, ...driftedIn(found.inputs), ...mark(found.state) },
          inputs: { ...hidden, ...markSecrets(found.inputs, secrets) },
        };
      });
    },

    update: (id: string, state: Values, inputs: Values) => {
      const given = withSecrets(inputs, state);
      const own = withSecrets(inputs);
      const still = kind.stillSecret(withSecrets(state), own);
      const mark = marking(kind, own, still);
      const { [BOOKKEEPING]: _, ...others } = mark(hiddenOf(inputs));
      // What was to go, and has not gone, is a secret in later calls as well.
      const hidden = { ...others, ...driftedIn(inputs), ...noteSecrets([...own.secrets, ...still]) };
      const outputsOf = (now: Values) => ({ ...hidden, ...mark(now) });
      const work = async () => {
        const call = contextFor(given, [inputs, state], timeoutOf(inputs, "update"));
        const change = { id, state: withoutHidden(state), inputs: fromEngine(inputs), oldInputs: kind.noted(inputs) };
        return { outs: outputsOf((await kind.update(call, change)).state) };
      };
      return guarded(given, work, outputsOf);
    },

    delete: (id: string, state: Values) => {
      const given = withSecrets(state);
      return guarded(given, () => kind.remove(contextFor(given, [state], timeoutOf(state, "delete")), { id, state }));
    },
  };
}

/** Marks what of outputs is secret by their inputs, and what `still` is: this host is given every value in the clear. */
function marking(kind: Kind, inputs: MarkedValues, still: readonly Path[] = []): (state: Values) => Values {
  const places = [...kind.outputSecrets(inputs), ...secretsOfState(still), ...secretsOfShared(inputs.secrets)];
  return (state) => {
    const { values, secrets } = kind.sealed(state, places);
    return markSecrets(values, secrets);
  };
}

/** What the program of a fleet says of all members, as the note that the state has of it. */
function sharedIn(news: Values): Values {
  const said = shared.filter((name) => news[name] !== undefined && news[name] !== null);
  if (!("endpoints" in news) || said.length === 0) return {};
  return { [SHARED_INPUT]: Object.fromEntries(said.map((name) => [name, news[name]])) };
}

function secretsOfShared(secrets: readonly Path[]): Path[] {
  return secrets.filter(([top]) => shared.includes(String(top))).map((path) => [SHARED_INPUT, ...path]);
}

/** The inputs of a fleet as far as its state tells them: what the members were, and what of that the last refresh had found drifted. */
function inputsIn(state: Values): Values {
  if (!isRecord(state.endpoints)) return {};
  const { endpoints, [SHARED_INPUT]: said, [DRIFTED]: drifted } = state;
  return { ...(isRecord(said) && said), endpoints, [DRIFTED]: drifted };
}
