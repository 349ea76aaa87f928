/** What the launcher's process keeps between calls, for all resources: the account, what the run has shown, the way to the engine. */
import { isDeepStrictEqual } from "node:util";
import { configModel } from "../../config/model";
import type { Failure } from "../../lib/failure";
import { isRecord, UNKNOWN, UNKNOWN_TEXT } from "../../lib/unknown";
import { asOwnError, PgComputeError } from "../../platform/errors";
import type { FleetCall } from "../call";
import { checkConfiguration, settingsIn } from "../configuration";
import { messageFor } from "../messages/errors";
import type { MarkedValues } from "../secrets";
import { Session, toldError } from "../session";

type Values = Record<string, unknown>;

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
export function fromEngine(values: Readonly<Values>): Values {
  return replaced(values, UNKNOWN_TEXT, UNKNOWN);
}

/** Values with the engine's marker in place of UNKNOWN. */
export function toEngine(values: Readonly<Values>): Values {
  return replaced(values, UNKNOWN, UNKNOWN_TEXT);
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
