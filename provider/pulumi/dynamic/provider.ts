import { configModel } from "../../config/model";
import { droppedInputs, noteDropped } from "../../endpoint/hidden-inputs";
import { parseInputs } from "../../endpoint/parse-inputs";
import { BOOKKEEPING } from "../../endpoint/state";
import type { Failure } from "../../lib/failure";
import type { Account } from "../../platform/account";
import { asOwnError, isKind, PgComputeError } from "../../platform/errors";
import { completeInputs } from "../complete-inputs";
import { checkConfiguration, openAccountFrom, settingsIn } from "../configuration";
import type { LifecycleContext } from "../context";
import { reportDiff } from "../diff-report";
import { connectEngineLog } from "../engine/log";
import { engineReporter } from "../engine/reporter";
import { messageFor } from "../kind-advice";
import { check, create, diff, read, remove, update } from "../lifecycle";
import { RunRecords } from "../run/run";
import { discreet, type Values as Given, readable, secretNames, showable } from "../secrets";
import { toHostError } from "./errors";
import { afterOf, hiddenOf, replaceOnChangesOf, timeoutOf, urnOf, withoutHidden, withSecrets } from "./hidden";
import { fromEngine, toEngine } from "./unknown";

type Values = Record<string, unknown>;

/** What the launcher's `configure` hands over: the stack's configuration, keys with their namespace. */
interface ConfigureRequest {
  config: {
    get(key: string): string | undefined;
    /** The whole of it, by which unknown keys are found; the launcher has it without promising it. */
    rawConfig?: Readonly<Record<string, unknown>> | undefined;
  };
}

/**
 * The dynamic provider of `pgcompute/Endpoint`: translates between the launcher of Pulumi's Node.js SDK and the
 * lifecycle functions, and decides nothing itself.
 */
export function createDynamicProvider(engineAddress: string | undefined, env: NodeJS.ProcessEnv) {
  const log = connectEngineLog(engineAddress);
  const run = new RunRecords();
  const said = new Set<string>();
  let account: Account | undefined;
  let failures: Failure[] = [{ property: "", reason: "the provider was not configured" }];

  const contextFor = (urn: string | undefined, given: Given, timeoutMs?: number): LifecycleContext => {
    if (!account) throw new PgComputeError("configuration", failures.map(({ reason }) => reason).join("; "));
    const signal = new AbortController().signal;
    const reporter = discreet(engineReporter(log, urn, said), given);
    return { account, run, host: "dynamic", reporter, signal, timeoutMs, urn };
  };
  const guarded = async <T>(given: Given, hidden: Values, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw toHostError(error, given, hidden);
    } finally {
      await log.flush();
    }
  };

  return {
    // Calls do not wait for an asynchronous configure, so this one is done when it returns.
    configure({ config }: ConfigureRequest): void {
      const known = Object.keys(configModel.shape).map((key) => `pgcompute:${key}`);
      const raw = settingsIn(config.rawConfig ?? Object.fromEntries(known.map((key) => [key, config.get(key)])));
      failures = checkConfiguration(raw, env);
      if (failures.length > 0) return;
      try {
        account = openAccountFrom(raw, env);
      } catch (error) {
        failures = [{ property: "", reason: messageFor(asOwnError(error)) }];
      }
    },

    check: (oldValues: Values, newValues: Values) => {
      const given = withSecrets(newValues, oldValues);
      return guarded(given, {}, async () => {
        const [olds, news] = [fromEngine(oldValues), fromEngine(newValues)];
        const shown = (found: readonly Failure[]) => found.map((failure) => showable(failure, given));
        if (!account) {
          return { inputs: newValues, failures: [...failures, ...shown(parseInputs(news).failures)] };
        }
        try {
          const context = { ...contextFor(urnOf(news), given), after: afterOf(news) };
          const result = await check(context, { olds, news, secret: secretNames(given) });
          // Later calls are not given the old inputs: the note tells them what the program has stopped setting.
          const inputs = { ...result.inputs, ...noteDropped(olds, news) };
          return { inputs: toEngine(inputs), failures: shown(result.failures) };
        } catch (error) {
          if (!isKind(error, "unauthorized", "forbidden")) throw error;
          // No property is to blame for the key.
          return { inputs: newValues, failures: [{ property: "", reason: readable(messageFor(error), given) }] };
        }
      });
    },

    diff: (id: string, state: Values, newValues: Values) => {
      const given = withSecrets(newValues, state);
      return guarded(given, {}, async () => {
        const inputs = fromEngine(newValues);
        const context = { ...contextFor(urnOf(newValues, state), given), after: afterOf(inputs) };
        const result = await diff(context, {
          id,
          state,
          inputs,
          oldInputs: droppedInputs(inputs),
          secret: secretNames(given),
          replaceOnChanges: replaceOnChangesOf(inputs),
        });
        reportDiff(context.reporter, result);
        // Delete is given the state alone, so that its timeout has to come there, by an update that sends nothing.
        const isStored = timeoutOf(state, "delete") === timeoutOf(inputs, "delete");
        if (!isStored) context.reporter.info("takes note of another customTimeouts.delete, which nothing is sent for");
        const replaces = Object.entries(result.properties).filter(([, { replaces }]) => replaces !== undefined);
        return {
          changes: result.changes || !isStored,
          replaces: replaces.map(([property]) => property),
          deleteBeforeReplace: result.deleteBeforeReplace,
        };
      });
    },

    create: (inputs: Values) => {
      const given = withSecrets(inputs);
      return guarded(given, hiddenOf(inputs), async () => {
        const context = contextFor(urnOf(inputs), given, timeoutOf(inputs, "create"));
        const { id, state } = await create(context, completeInputs(fromEngine(inputs) as Values));
        return { id, outs: { ...hiddenOf(inputs), ...state } };
      });
    },

    read: (id: string, state: Values) => {
      const given = withSecrets(state);
      return guarded(given, {}, async () => {
        const result = await read(contextFor(urnOf(state), given), { id, state });
        if (!result) return { id: "", props: {} };
        const { [BOOKKEEPING]: _, ...hidden } = hiddenOf(state);
        return { id, props: { ...hidden, ...result.state }, inputs: { ...hidden, ...result.inputs } };
      });
    },

    update: (id: string, state: Values, inputs: Values) => {
      const { [BOOKKEEPING]: _, ...hidden } = hiddenOf(inputs);
      const given = withSecrets(inputs, state);
      return guarded(given, hidden, async () => {
        const context = contextFor(urnOf(inputs, state), given, timeoutOf(inputs, "update"));
        const oldInputs = droppedInputs(inputs);
        const result = await update(context, {
          id,
          state: withoutHidden(state),
          inputs: completeInputs(fromEngine(inputs) as Values),
          oldInputs,
        });
        return { outs: { ...hidden, ...result.state } };
      });
    },

    delete: (id: string, state: Values) => {
      const given = withSecrets(state);
      const timeoutMs = timeoutOf(state, "delete");
      return guarded(given, {}, () => remove(contextFor(urnOf(state), given, timeoutMs), { id, state }));
    },
  };
}
