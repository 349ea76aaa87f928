/** What the launcher's process keeps between calls, for all resources: the account, what the run has shown, the way to the engine. */
import { isDeepStrictEqual } from "node:util";
import { configModel } from "../../config/model";
import { boundsOf } from "../../endpoint/context";
import type { Failure } from "../../lib/failure";
import { resourceOwner } from "../../lib/owner";
import { isRecord, UNKNOWN } from "../../lib/unknown";
import type { Account } from "../../platform/account";
import { asOwnError, PartialError, PgComputeError } from "../../platform/errors";
import type { FleetCall } from "../call";
import { checkConfiguration, openAccountFrom, settingsIn } from "../configuration";
import { connectEngineLog, engineReporter } from "../engine";
import { messageFor } from "../messages/errors";
import { RunRecords } from "../run";
import { type MarkedValues, redactingReporter, redactText } from "../secrets";

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
  const log = connectEngineLog(engineAddress);
  const run = new RunRecords();
  const said = new Set<string>();
  let account: Account | undefined;
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
        account = openAccountFrom(raw, env, (message) => log.log("warning", message));
      } catch (error) {
        failures = [{ property: "", reason: messageFor(asOwnError(error)) }];
      }
    },

    /** The context of one call; throws where there is no account. */
    contextFor(urn: string | undefined, given: MarkedValues, timeoutMs?: number): FleetCall {
      if (!account) throw new PgComputeError("configuration", failures.map(({ reason }) => reason).join("; "));
      if (urn === undefined) throw new PgComputeError("invalid_argument", NO_URN);
      const reporterFor = (row: string) => redactingReporter(engineReporter(log, row, said), given);
      return {
        account,
        run,
        host: "dynamic",
        reporter: reporterFor(urn),
        reporterFor,
        reportError: (row, message) => log.log("error", redactText(message, given), row),
        signal: new AbortController().signal,
        ...boundsOf(account, timeoutMs),
        urn: resourceOwner(urn),
      };
    },

    /** Runs a call: what it throws becomes what the launcher reads, and its lines have arrived when it ends. */
    async guarded<T>(
      given: MarkedValues,
      hidden: Values,
      work: () => Promise<T>,
      mark?: (state: Values) => Values,
    ): Promise<T> {
      try {
        return await work();
      } catch (error) {
        throw toHostError(error, given, hidden, mark);
      } finally {
        await log.flush();
      }
    },
  };
}

/** What the dynamic host's launcher reads of a thrown value. With an `id`, the engine keeps id and properties. */
class HostError extends Error {
  id?: string;
  properties?: Record<string, unknown>;
  reasons?: string[];

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

/** The error for the launcher: one message, and id and state where there are any, with the hidden inputs that later calls need. */
function toHostError(
  error: unknown,
  given: MarkedValues,
  hidden: Readonly<Record<string, unknown>> = {},
  mark: (state: Record<string, unknown>) => Record<string, unknown> = (state) => state,
): Error {
  const message = redactText(messageFor(asOwnError(error)), given);
  const host = new HostError(message);
  host.name = "pgcompute";
  host.stack = "";
  if (error instanceof PartialError) {
    host.id = error.id;
    host.properties = { ...mark({ ...error.state }), ...hidden };
    host.reasons = error.reasons?.map((reason) => redactText(reason, given)) ?? [message];
  }
  return host;
}

/** How the engine writes a value that is not known yet, for providers that only see plain values. */
export const UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

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
