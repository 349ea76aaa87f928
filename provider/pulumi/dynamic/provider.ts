import { droppedInputs, noteDropped } from "../../endpoint/input-notes";
import { derivedPlaces } from "../../endpoint/outputs";
import { parseInputs } from "../../endpoint/parse-inputs";
import { BOOKKEEPING } from "../../endpoint/state";
import type { Failure } from "../../lib/failure";
import { completeInputs, orRefusedKey } from "../check";
import { check, create, diff, read, remove, update } from "../lifecycle";
import { reportDiff } from "../preview";
import { markSecrets, type Path, redactFailure, secretNames, stillSecret } from "../secrets";
import {
  afterOf,
  deleteTimeoutMessage,
  driftedIn,
  hiddenOf,
  replaceOnChangesOf,
  SECRET_INPUT,
  timeoutOf,
  urnOf,
  withoutHidden,
  withSecrets,
} from "./hidden";
import { type DynamicSession, fromEngine, toEngine } from "./session";

type Values = Record<string, unknown>;

/** Translates between the launcher of Pulumi's Node.js SDK and the lifecycle, and decides nothing itself. */
export function createDynamicProvider(session: DynamicSession) {
  const { contextFor, guarded } = session;
  return {
    configure: session.configure,

    check: (oldValues: Values, newValues: Values) => {
      const given = withSecrets(newValues, oldValues);
      return guarded(given, {}, async () => {
        const [olds, news] = [fromEngine(oldValues), fromEngine(newValues)];
        const shown = (found: readonly Failure[]) => found.map((failure) => redactFailure(failure, given));
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
      const mark = marking(given.secrets);
      const work = async () => {
        const context = contextFor(urnOf(inputs), given, timeoutOf(inputs, "create"));
        const { id, state } = await create(context, completeInputs(fromEngine(inputs) as Values));
        return { id, outs: { ...hiddenOf(inputs), ...mark(state) } };
      };
      return guarded(given, hiddenOf(inputs), work, mark);
    },

    read: (id: string, state: Values) => {
      const given = withSecrets(state);
      return guarded(given, {}, async () => {
        const result = await read(contextFor(urnOf(state), given), { id, state });
        if (!result) return { id: "", props: {} };
        const { [BOOKKEEPING]: _, ...hidden } = hiddenOf(state);
        const mark = marking(given.secrets, stillSecret(given.secrets, result.inputs));
        const props = { ...hidden, ...driftedIn(result.inputs), ...mark(result.state) };
        return { id, props, inputs: { ...hidden, ...result.inputs } };
      });
    },

    update: (id: string, state: Values, inputs: Values) => {
      const { [BOOKKEEPING]: _, ...others } = hiddenOf(inputs);
      const given = withSecrets(inputs, state);
      const still = stillSecret(withSecrets(state).secrets, inputs);
      const own = withSecrets(inputs).secrets;
      const mark = marking([...own, ...still], still);
      // What was to go, and has not gone, is a secret in later calls as well.
      const noted = still.length > 0 ? { [SECRET_INPUT]: [...own, ...still].map(([name]) => name) } : {};
      const hidden = { ...others, ...driftedIn(inputs), ...noted };
      const work = async () => {
        const context = contextFor(urnOf(inputs, state), given, timeoutOf(inputs, "update"));
        const oldInputs = droppedInputs(inputs);
        const result = await update(context, {
          id,
          state: withoutHidden(state),
          inputs: completeInputs(fromEngine(inputs) as Values),
          oldInputs,
        });
        return { outs: { ...hidden, ...mark(result.state) } };
      };
      return guarded(given, hidden, work, mark);
    },

    delete: (id: string, state: Values) => {
      const given = withSecrets(state);
      const timeoutMs = timeoutOf(state, "delete");
      return guarded(given, {}, () => remove(contextFor(urnOf(state), given, timeoutMs), { id, state }));
    },
  };
}

/** Marks what is secret and has no secret input of its name: what follows from a secret, and what the program no longer sets (`still`). */
function marking(secrets: readonly Path[], still: readonly Path[] = []): (state: Values) => Values {
  const places = [...secrets.flatMap(derivedPlaces), ...still];
  return (state) => markSecrets(state, places);
}
