/**
 * The dynamic providers: they turn calls of the launcher in Pulumi's Node.js SDK into calls of a kind of resource, and
 * decide nothing.
 */
import { isDeepStrictEqual } from "node:util";
import { configModel } from "../../config/model";
import { replacingNames } from "../../endpoint/diff";
import { DRIFTED } from "../../endpoint/input-notes";
import { fleetProperties } from "../../fleet/model";
import { decodeMembers, shownOf } from "../../fleet/state";
import type { Failure } from "../../lib/failure";
import { isRecord, ownValue, type Values } from "../../lib/unknown";
import { sentences } from "../../lib/wording";
import { asOwnError, PgComputeError } from "../../platform/errors";
import type { LifecycleContext } from "../call";
import { checkConfiguration, settingsIn } from "../configuration";
import { messageFor } from "../messages/errors";
import { endpointKind, fleetKind, type Kind } from "../resource";
import { failureRedactor, secretsOfInputs, secretsOfOutputs, valueRedactor, withPlaces } from "../secrets";
import { errorForHost, type Outside, Session } from "../session";
import { decode, encode, type MarkedValues, type Path } from "../values";
import {
  deleteTimeoutMessage,
  driftedIn,
  hiddenOf,
  ignoreChangesOf,
  noteSecrets,
  replaceOnChangesOf,
  SHARED_INPUT,
  timeoutOf,
  urnOf,
  withoutHidden,
  withSecrets,
} from "./hidden";

/** The fleet's properties for all members. */
const shared = fleetProperties.filter((name) => name !== "endpoints");

/** The argument of the launcher's `configure`: the stack's configuration, keys with their namespace. */
export interface ConfigureRequest {
  config: {
    get(key: string): string | undefined;
    /** The whole configuration, to find unknown keys; the launcher passes it without documenting it. */
    rawConfig?: Values | undefined;
  };
}

/** One process of the dynamic host. */
export type DynamicSession = ReturnType<typeof openSession>;

/** Prefix of an error that the launcher repeats on stderr after the engine showed it. */
const REPEATED = "[shown by the engine] ";

const NO_URN =
  "the resource does not say its URN (__urn), as the classes of pulumi-pgcompute do: declare it by one of them";

/** Opens a process's session; log lines go to `engineAddress`. */
export function openSession(engineAddress: string | undefined, env: NodeJS.ProcessEnv, outside?: Outside) {
  const session = new Session("dynamic", engineAddress, env, outside);
  let configured: Values | undefined;
  let failures: Failure[] = [{ property: "", reason: "the provider was not configured" }];

  return {
    toldFailure: session.toldFailure,
    cancel: () => session.cancel(),

    /** Reasons why no call can run; empty once an account is open. */
    get failures() {
      return failures;
    },

    // Opens the account synchronously, because calls do not wait for an asynchronous configure.
    // Only the first of its calls opens one: endpoints and fleets share limits and running changes.
    configure({ config }: ConfigureRequest): void {
      const known = Object.keys(configModel.shape).map((key) => `pgcompute:${key}`);
      const raw = settingsIn(config.rawConfig ?? Object.fromEntries(known.map((key) => [key, config.get(key)])));
      if (isDeepStrictEqual(raw, configured)) return;

      configured = raw;
      failures = checkConfiguration(raw, env);
      if (failures.length > 0) return;
      try {
        session.configure(raw, { isStacks: true });
      } catch (error) {
        failures = [{ property: "", reason: messageFor(asOwnError(error)) }];
      }
    },

    /** The context of one call. Throws if no account is open. */
    contextFor(urn: string | undefined, given: readonly MarkedValues[], timeoutMs?: number): LifecycleContext {
      if (failures.length > 0)
        throw new PgComputeError("configuration", sentences(failures.map(({ reason }) => reason)));
      if (urn === undefined) throw new PgComputeError("invalid_argument", NO_URN);
      return session.context(urn, given, timeoutMs);
    },

    /**
     * Runs a call, flushes its log lines and converts its errors for the launcher; `outputsOf` makes an error's state.
     */
    async guarded<T>(
      given: readonly MarkedValues[],
      work: () => Promise<T>,
      outputsOf = (state: Values): Values => state,
    ): Promise<T> {
      try {
        return await work();
      } catch (error) {
        const { message, unfinished } = errorForHost(error, given, session);
        const { state, ...rest } = unfinished ?? {};
        throw Object.assign(new HostError(message), rest, state && { properties: outputsOf(state) });
      } finally {
        await session.flush();
      }
    },
  };
}

/** An error in the launcher's form. With an `id`, the engine keeps `id`, `properties` and `reasons`. */
class HostError extends Error {
  override readonly name = "pgcompute";
  override readonly stack = "";

  override toString(): string {
    return REPEATED;
  }
}

/** Drops this provider's errors from the launcher's stderr, as the engine shows the same text. */
export function dropRepeatedErrors(stderr: Pick<Console, "error">): void {
  const write = stderr.error.bind(stderr);
  stderr.error = (...values: unknown[]) => {
    const [first] = values;
    if (typeof first !== "string" || !first.startsWith(REPEATED)) write(...values);
  };
}

/** Builds the providers of both kinds of resources, which share a session, so that each sees what the other owns. */
export function createProviders(session: DynamicSession) {
  return { provider: createProvider(session, endpointKind), fleetProvider: createProvider(session, fleetKind) };
}

/** Builds the provider of a kind of resource. This host can show neither preview outputs nor a detailed diff. */
export function createProvider(session: DynamicSession, kind: Kind) {
  const { guarded } = session;
  const contextFor = (given: readonly MarkedValues[], sources: readonly Values[], timeoutMs?: number) =>
    session.contextFor(urnOf(...sources), given, timeoutMs);
  return {
    configure: session.configure,

    check: (oldValues: Values, newValues: Values) => {
      const given = withSecrets(newValues, oldValues);
      return guarded(given, async () => {
        const [olds, news] = [decode(oldValues).values, decode(newValues).values];
        const shown = failureRedactor(...given);
        if (session.failures.length > 0) {
          const formFailures = kind.formFailures(news).map(valueRedactor(given[0].secrets));
          return { inputs: newValues, failures: [...session.failures, ...formFailures.map(shown)] };
        }

        const call = contextFor(given, [news]);
        const { inputs, failures } = await kind.check(call, {
          ...{ olds, news, secrets: given[0].secrets },
          // Later calls lack the old inputs; the note keeps the names of dropped properties.
          notesDropped: true,
        });

        // Later calls get each member's whole inputs, without the source of its defaults.
        const secrets = secretsOfInputs(withSecrets(newValues)[0]);
        const noted = encode({ ...inputs, ...sharedIn(news) }, withShared(secrets));
        return {
          inputs: { ...noted, ...noteSecrets(secrets) },
          failures: failures.map(shown).map(session.toldFailure),
        };
      });
    },

    diff: (id: string, state: Values, newValues: Values) => {
      const given = withSecrets(newValues, state);
      return guarded(given, async () => {
        const inputs = decode(newValues).values;
        const call = contextFor(given, [inputs, state]);
        const request = { id, state, inputs, oldInputs: kind.noted(inputs), secrets: given[0].secrets };
        const options = { replaceOnChanges: replaceOnChangesOf(inputs), ignoreChanges: ignoreChangesOf(inputs) };
        const result = await kind.diff(call, { ...request, ...options });
        const timeout = deleteTimeoutMessage(state, inputs);
        if (timeout !== undefined) call.reporter.info(timeout);

        const isSingle = "properties" in result;
        return {
          changes: result.changes || timeout !== undefined,
          replaces: isSingle ? replacingNames(result) : [],
          deleteBeforeReplace: isSingle && result.deletesFirst,
        };
      });
    },

    create: (inputs: Values) => {
      const given = withSecrets(inputs);
      const outputsOf = (state: Values) => written({ ...hiddenOf(inputs), ...state }, secretsOfOutputs(given[0]));
      const work = async () => {
        const call = contextFor(given, [inputs], timeoutOf(inputs, "create"));
        const { id, state } = await kind.create(call, decode(inputs).values);
        return { id, outs: outputsOf(state) };
      };
      return guarded(given, work, outputsOf);
    },

    read: (id: string, state: Values) => {
      const given = withSecrets(state);
      return guarded(given, async () => {
        const found = await kind.read(contextFor(given, [state]), { id, state, inputs: inputsIn(state) });
        if (!found) return { id: "", props: {}, inputs: {} };
        const hidden = hiddenOf(state);
        // Only an import may come without inputs, and this host has none.
        const { inputs = {} } = found;
        const outputs = { ...hidden, ...driftedIn(inputs), ...found.state };

        return {
          id: found.id,
          props: written(outputs, secretsOfOutputs(given[0])),
          inputs: written({ ...hidden, ...inputs }, secretsOfInputs({ ...given[0], values: inputs })),
        };
      });
    },

    update: (id: string, state: Values, inputs: Values) => {
      const given = withSecrets(inputs, state);
      const outputsOf = (now: Values) => {
        const secrets = given[0].secrets.filter(isIn(now, inputs));
        const hidden = { ...hiddenOf(inputs), ...driftedIn(inputs), ...noteSecrets(secrets) };
        return written({ ...hidden, ...now }, secretsOfOutputs({ values: now, secrets }));
      };

      const work = async () => {
        const call = contextFor(given, [inputs, state], timeoutOf(inputs, "update"));
        const news = decode(inputs).values;
        const change = { id, state: withoutHidden(state), inputs: news, oldInputs: kind.noted(inputs) };
        const { state: now } = await kind.update(call, { ...change, ignoreChanges: ignoreChangesOf(inputs) });
        return { outs: outputsOf(now) };
      };
      return guarded(given, work, outputsOf);
    },

    delete: (id: string, state: Values) => {
      const given = withSecrets(state);
      return guarded(given, () => kind.remove(contextFor(given, [state], timeoutOf(state, "delete")), { id, state }));
    },
  };
}

/** Encodes values with their secrets marked, because this host gets them in the clear. */
function written(values: Values, secrets: readonly Path[]): Values {
  return encode(withPlaces(values, secrets), withShared(secrets));
}

/** True for the path of a resource or of a member in any of these values. Notes of former members would pile up. */
function isIn(...values: readonly Values[]): (place: Path) => boolean {
  return ([top, key]) =>
    top !== "endpoints" || key === undefined || values.some(({ endpoints }) => ownValue(endpoints, key) !== undefined);
}

/** A fleet's values for all members, as the state's note. */
function sharedIn(news: Values): Values {
  const said = shared.filter((name) => news[name] !== undefined && news[name] !== null);
  if (!("endpoints" in news) || said.length === 0) return {};
  return { [SHARED_INPUT]: Object.fromEntries(said.map((name) => [name, news[name]])) };
}

function withShared(secrets: readonly Path[]): Path[] {
  const ofAll = secrets.filter(([top]) => shared.includes(String(top)));
  return [...secrets, ...ofAll.map((path) => [SHARED_INPUT, ...path])];
}

/** A fleet's inputs, rebuilt from its state: its members, with the drift of the last refresh. */
function inputsIn(state: Values): Values {
  if (!isRecord(state.endpoints)) return {};
  const { [SHARED_INPUT]: said, [DRIFTED]: drifted } = state;
  // A value that is only secret is stored beside the set values.
  const set = [...decodeMembers(state)].map(([key, { state }]) => [key, shownOf(state)] as const);
  const endpoints = Object.fromEntries(set);
  return { ...(isRecord(said) && said), endpoints, [DRIFTED]: drifted };
}
