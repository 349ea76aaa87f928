import { configModel } from "../../config/model";
import { openConfigured } from "../../config/open";
import { resolveConfig } from "../../config/resolve";
import { droppedInputs, noteDropped } from "../../endpoint/hidden-inputs";
import { parseInputs } from "../../endpoint/parse-inputs";
import type { EndpointInputs } from "../../endpoint/properties";
import { BOOKKEEPING } from "../../endpoint/state";
import type { Failure } from "../../lib/failure";
import type { Account } from "../../platform/account";
import { isKind, PgComputeError } from "../../platform/errors";
import type { LifecycleContext } from "../context";
import { reportDiff } from "../diff-report";
import { connectEngineLog } from "../engine/log";
import { engineReporter } from "../engine/reporter";
import { messageFor } from "../kind-advice";
import { check, create, diff, read, remove, update } from "../lifecycle";
import { RunRecords } from "../run/run";
import { toHostError } from "./errors";
import { afterOf, hiddenOf, replaceOnChangesOf, timeoutOf, urnOf } from "./hidden";
import { fromEngine, toEngine } from "./unknown";

type Values = Record<string, unknown>;

/** What the launcher's `configure` hands over: the stack's configuration, keys with their namespace. */
interface ConfigureRequest {
  config: { get(key: string): string | undefined };
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
  let failures: Failure[] = [{ property: "pgcompute", reason: "the provider was not configured" }];

  const contextFor = (urn: string | undefined, timeoutMs?: number): LifecycleContext => {
    if (!account) throw new PgComputeError("configuration", failures.map(describe).join("; "));
    const signal = new AbortController().signal;
    const reporter = engineReporter(log, urn, said);
    return { account, run, host: "dynamic", reporter, signal, timeoutMs, urn };
  };
  const guarded = async <T>(hidden: Values, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw toHostError(error, hidden);
    } finally {
      await log.flush();
    }
  };

  return {
    // Calls do not wait for an asynchronous configure, so this one is done when it returns.
    configure({ config }: ConfigureRequest): void {
      const raw = Object.fromEntries(
        Object.keys(configModel.shape).map((key) => [key, config.get(`pgcompute:${key}`)]),
      );
      const resolved = resolveConfig(raw, env);
      failures = (resolved.failures ?? []).map(({ property, reason }) => ({
        property: `pgcompute:${property}`,
        reason,
      }));
      if (resolved.settings) account = openConfigured(resolved.settings);
    },

    check: (oldValues: Values, newValues: Values) =>
      guarded({}, async () => {
        const news = fromEngine(newValues) as Values;
        if (!account) {
          const shape = parseInputs(news).failures;
          return { inputs: newValues, failures: [...failures, ...shape] };
        }
        try {
          const olds = fromEngine(oldValues) as Values;
          const result = await check({ ...contextFor(urnOf(news)), after: afterOf(news) }, { olds, news });
          // Later calls are not given the old inputs: the note tells them what the program has stopped setting.
          const inputs = { ...result.inputs, ...noteDropped(olds, news) };
          return { inputs: toEngine(inputs) as Values, failures: result.failures };
        } catch (error) {
          if (!isKind(error, "unauthorized", "forbidden")) throw error;
          // No property is to blame for the key.
          return { inputs: newValues, failures: [{ property: "", reason: messageFor(error) }] };
        }
      }),

    diff: (id: string, state: Values, newValues: Values) =>
      guarded({}, async () => {
        const inputs = fromEngine(newValues) as Values;
        const context = { ...contextFor(urnOf(newValues, state)), after: afterOf(inputs) };
        const result = await diff(context, {
          id,
          state,
          inputs,
          oldInputs: droppedInputs(inputs),
          replaceOnChanges: replaceOnChangesOf(inputs),
        });
        reportDiff(context.reporter, result);
        const replaces = Object.entries(result.properties).filter(([, { replaces }]) => replaces !== undefined);
        return {
          changes: result.changes,
          replaces: replaces.map(([property]) => property),
          deleteBeforeReplace: result.deleteBeforeReplace,
        };
      }),

    create: (inputs: Values) =>
      guarded(hiddenOf(inputs), async () => {
        const context = contextFor(urnOf(inputs), timeoutOf(inputs, "create"));
        const { id, state } = await create(context, inputsOf(inputs));
        return { id, outs: { ...hiddenOf(inputs), ...state } };
      }),

    read: (id: string, state: Values) =>
      guarded({}, async () => {
        const result = await read(contextFor(urnOf(state)), { id, state });
        if (!result) return { id: "", props: {} };
        const { [BOOKKEEPING]: _, ...hidden } = hiddenOf(state);
        return { id, props: { ...hidden, ...result.state }, inputs: { ...hidden, ...result.inputs } };
      }),

    update: (id: string, state: Values, inputs: Values) => {
      const { [BOOKKEEPING]: _, ...hidden } = hiddenOf(inputs);
      return guarded(hidden, async () => {
        const context = contextFor(urnOf(inputs, state), timeoutOf(inputs, "update"));
        const oldInputs = droppedInputs(inputs);
        const result = await update(context, { id, state, inputs: inputsOf(inputs), oldInputs });
        return { outs: { ...hidden, ...result.state } };
      });
    },

    delete: (id: string, state: Values) =>
      guarded({}, () => remove(contextFor(urnOf(state), timeoutOf(state, "delete")), { id, state })),
  };
}

function inputsOf(values: Values): EndpointInputs {
  return parseInputs(values).inputs as EndpointInputs;
}

function describe({ property, reason }: Failure): string {
  return `${property}: ${reason}`;
}
