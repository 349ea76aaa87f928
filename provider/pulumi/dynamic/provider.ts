import { droppedInputs, noteDropped } from "../../endpoint/hidden-inputs";
import { parseInputs } from "../../endpoint/parse-inputs";
import { BOOKKEEPING } from "../../endpoint/state";
import type { Failure } from "../../lib/failure";
import { orRefusedKey } from "../check";
import { completeInputs } from "../complete-inputs";
import { reportDiff } from "../diff-report";
import { check, create, diff, read, remove, update } from "../lifecycle";
import { secretNames, showable } from "../secrets";
import {
  afterOf,
  deleteTimeoutMessage,
  driftedIn,
  hiddenOf,
  replaceOnChangesOf,
  timeoutOf,
  urnOf,
  withoutHidden,
  withSecrets,
} from "./hidden";
import type { DynamicSession } from "./session";
import { fromEngine, toEngine } from "./unknown";

type Values = Record<string, unknown>;

/**
 * The dynamic provider of `pgcompute/Endpoint`: translates between the launcher of Pulumi's Node.js SDK and the
 * lifecycle functions, and decides nothing itself.
 */
export function createDynamicProvider(session: DynamicSession) {
  const { contextFor, guarded } = session;
  return {
    configure: session.configure,

    check: (oldValues: Values, newValues: Values) => {
      const given = withSecrets(newValues, oldValues);
      return guarded(given, {}, async () => {
        const [olds, news] = [fromEngine(oldValues), fromEngine(newValues)];
        const shown = (found: readonly Failure[]) => found.map((failure) => showable(failure, given));
        if (session.failures.length > 0) {
          return { inputs: newValues, failures: [...session.failures, ...shown(parseInputs(news).failures)] };
        }
        const context = { ...contextFor(urnOf(news), given), after: afterOf(news) };
        const { inputs, failures } = await orRefusedKey(news, () =>
          check(context, { olds, news, secret: secretNames(given) }),
        );
        // Later calls are not given the old inputs: the note tells them what the program has stopped setting.
        return { inputs: toEngine({ ...inputs, ...noteDropped(olds, news) }), failures: shown(failures) };
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
        const timeout = deleteTimeoutMessage(state, inputs);
        const messages = timeout === undefined ? result.messages : [...result.messages, timeout];
        reportDiff(context.reporter, { ...result, messages });
        const replaces = Object.entries(result.properties).filter(([, { replaces }]) => replaces !== undefined);
        return {
          changes: result.changes || timeout !== undefined,
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
        const props = { ...hidden, ...driftedIn(result.inputs), ...result.state };
        return { id, props, inputs: { ...hidden, ...result.inputs } };
      });
    },

    update: (id: string, state: Values, inputs: Values) => {
      const { [BOOKKEEPING]: _, ...others } = hiddenOf(inputs);
      const hidden = { ...others, ...driftedIn(inputs) };
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
