/** The dynamic providers: what the launcher of Pulumi's Node.js SDK hands over becomes calls of a kind of resource. They decide nothing themselves. */
import { isDeepStrictEqual } from "node:util";
import { configModel } from "../../config/model";
import { DRIFTED } from "../../endpoint/input-notes";
import { fleetProperties } from "../../fleet/model";
import type { Failure } from "../../lib/failure";
import { isRecord, UNKNOWN, UNKNOWN_TEXT } from "../../lib/unknown";
import { asOwnError, PgComputeError } from "../../platform/errors";
import type { FleetCall } from "../call";
import { checkConfiguration, settingsIn } from "../configuration";
import { endpointKind, fleetKind, type Kind } from "../kinds";
import { messageFor } from "../messages/errors";
import { type MarkedValues, markSecrets, type Path, secretsOfState } from "../secrets";
import { Session, toldError } from "../session";
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

type Values = Record<string, unknown>;

/** What a fleet's program says of all its members. */
const shared = fleetProperties.filter((name) => name !== "endpoints");

/** What the launcher's `configure` hands over: the stack's configuration, keys with their namespace. */
export interface ConfigureRequest {
  config: {
    get(key: string): string | undefined;
    /** The whole of it, by which unknown keys are found; the launcher has it without promising it. */
    rawConfig?: Readonly<Record<string, unknown>> | undefined;
  };
}

/** One process of the dynamic host. */
export type DynamicSession = ReturnType<typeof openSession>;

/** What an error gives as its text: the launcher writes that to stderr, beside the error that the engine shows. */
const REPEATED = "[shown by the engine] ";

const NO_URN =
  "the resource does not say its URN (__urn), as the classes of pulumi-pgcompute do: declare it by one of them";

// Deeper than any value of this provider, and far from the end of the stack.
const MAX_DEPTH = 64;

/** Opens the session of a process; `engineAddress` is where its lines go. */
export function openSession(engineAddress: string | undefined, env: NodeJS.ProcessEnv) {
  const session = new Session("dynamic", engineAddress, env);
  let configured: Values | undefined;
  let failures: Failure[] = [{ property: "", reason: "the provider was not configured" }];
  return {
    /** Why nothing can be done; empty once an account is open. */
    get failures() {
      return failures;
    },

    // Calls do not wait for an asynchronous configure, so this one is done when it returns. It comes once for each kind of resource: both
    // are to have one account, or neither its limits nor what it has under way would hold for the other.
    configure({ config }: ConfigureRequest): void {
      const known = Object.keys(configModel.shape).map((key) => `pgcompute:${key}`);
      const raw = settingsIn(config.rawConfig ?? Object.fromEntries(known.map((key) => [key, config.get(key)])));
      if (isDeepStrictEqual(raw, configured)) return;
      configured = raw;
      failures = checkConfiguration(raw, env);
      if (failures.length > 0) return;
      try {
        session.configure(raw);
      } catch (error) {
        failures = [{ property: "", reason: messageFor(asOwnError(error)) }];
      }
    },

    /** The context of one call; throws where there is no account. */
    contextFor(urn: string | undefined, given: MarkedValues, timeoutMs?: number): FleetCall {
      if (failures.length > 0)
        throw new PgComputeError("configuration", failures.map(({ reason }) => reason).join("; "));
      if (urn === undefined) throw new PgComputeError("invalid_argument", NO_URN);
      return session.context(urn, [given], timeoutMs);
    },

    /** Runs a call: what it throws becomes what the launcher reads, with `outputsOf` a state that goes with it; its lines have arrived when it ends. */
    async guarded<T>(
      given: MarkedValues,
      work: () => Promise<T>,
      outputsOf = (state: Readonly<Values>): Values => state,
    ): Promise<T> {
      try {
        return await work();
      } catch (error) {
        const { message, unfinished } = toldError(error, [given]);
        const { state, ...rest } = unfinished ?? {};
        throw Object.assign(new HostError(message), rest, state && { properties: outputsOf(state) });
      } finally {
        await session.flush();
      }
    },
  };
}

/** What the dynamic host's launcher reads of a thrown value. With an `id`, the engine keeps `id`, `properties` and `reasons`. */
class HostError extends Error {
  override readonly name = "pgcompute";
  override readonly stack = "";

  override toString(): string {
    return REPEATED;
  }
}

/** Leaves out of the launcher's stderr what it writes of this provider's errors: the engine shows the same text. */
export function sayErrorsOnce(stderr: Pick<Console, "error">): void {
  const write = stderr.error.bind(stderr);
  stderr.error = (...values: unknown[]) => {
    const [first] = values;
    if (typeof first !== "string" || !first.startsWith(REPEATED)) write(...values);
  };
}

/** Values with UNKNOWN in place of the engine's marker. Throws `invalid_argument` for values of more than 64 levels. */
function fromEngine(values: Readonly<Values>): Values {
  return replaced(values, UNKNOWN_TEXT, UNKNOWN);
}

/** Values with the engine's marker in place of UNKNOWN. */
function toEngine(values: Readonly<Values>): Values {
  return replaced(values, UNKNOWN, UNKNOWN_TEXT);
}

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
        const { inputs, failures } = await kind.check(call, {
          ...{ olds, news, secrets: given.secrets },
          notesDropped: true,
        });
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
        const hidden = mark(hiddenOf(state));
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
      // What was to go, and has not gone, is a secret in later calls as well.
      const hidden = { ...mark(hiddenOf(inputs)), ...driftedIn(inputs), ...noteSecrets([...own.secrets, ...still]) };
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

function replaced(values: Readonly<Values>, from: unknown, to: unknown): Values {
  const within = (value: unknown, property: string, depth = 1): unknown => {
    if (depth > MAX_DEPTH) {
      throw new PgComputeError("invalid_argument", `${property} is nested more than ${MAX_DEPTH} levels deep`);
    }
    if (value === from) return to;
    const inner = (one: unknown) => within(one, property, depth + 1);
    if (Array.isArray(value)) return value.map(inner);
    return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)])) : value;
  };
  return Object.fromEntries(Object.entries(values).map(([property, value]) => [property, within(value, property)]));
}
