/** What the launcher's process keeps between calls, for all resources: the account, what the run has shown, the way to the engine. */
import { isDeepStrictEqual } from "node:util";
import { configModel } from "../../config/model";
import { boundsOf } from "../../endpoint/context";
import type { Failure } from "../../lib/failure";
import { resourceOwner } from "../../lib/owner";
import type { Account } from "../../platform/account";
import { asOwnError, PgComputeError } from "../../platform/errors";
import { checkConfiguration, openAccountFrom, settingsIn } from "../configuration";
import { connectEngineLog, engineReporter } from "../engine/log";
import type { FleetCall } from "../fleet/context";
import { messageFor } from "../messages/errors";
import { RunRecords } from "../run/run";
import { type Values as Given, redactingReporter, redactText } from "../secrets";
import { toHostError } from "./errors";

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
    contextFor(urn: string | undefined, given: Given, timeoutMs?: number): FleetCall {
      if (!account) throw new PgComputeError("configuration", failures.map(({ reason }) => reason).join("; "));
      const reporterFor = (row: string | undefined) => redactingReporter(engineReporter(log, row, said), given);
      return {
        account,
        run,
        host: "dynamic",
        reporter: reporterFor(urn),
        reporterFor,
        reportError: (row, message) => log.log("error", redactText(message, given), row),
        signal: new AbortController().signal,
        ...boundsOf(account, timeoutMs),
        urn: urn === undefined ? undefined : resourceOwner(urn),
      };
    },

    /** Runs a call: what it throws becomes what the launcher reads, and its lines have arrived when it ends. */
    async guarded<T>(
      given: Given,
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
