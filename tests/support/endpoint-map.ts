import { setMaxListeners } from "node:events";
import type { Context } from "../../provider/endpoint/context";
import { create } from "../../provider/endpoint/create";
import { remove } from "../../provider/endpoint/delete";
import { diff } from "../../provider/endpoint/diff";
import type { EndpointInputs } from "../../provider/endpoint/properties";
import { read } from "../../provider/endpoint/read";
import type { StoredEndpoint } from "../../provider/endpoint/settle";
import { update } from "../../provider/endpoint/update";
import type { Failure } from "../../provider/lib/failure";
import { check } from "../../provider/pulumi/check";
import { urnOf } from "./bench";

/** Endpoints by name, as a program declares them. */
export type Declared = Readonly<Record<string, EndpointInputs>>;

/** Endpoints by name, as the last run left them, with the inputs that they were given then. */
export type Stored = Readonly<Record<string, StoredEndpoint & { inputs: EndpointInputs }>>;

/** What has to be done for one name. */
export type Step = "create" | "update" | "replace" | "same" | "delete";

/** What a preview says of each name. */
export interface MapPlan {
  steps: Record<string, Step>;
  failures: Record<string, Failure[]>;
}

/** What a run came to. */
export interface MapResult {
  stored: Stored;
  errors: Record<string, Error>;
}

/**
 * The lifecycle of a whole map of endpoints as one resource would have it: no host, no engine, only the lifecycle functions
 * called side by side, `atOnce` of them. Every name is a resource to itself: what fails leaves the others alone.
 */
export function endpointMap(context: Context, atOnce: number) {
  // Everything under way hears of an interruption through the one signal.
  setMaxListeners(0, context.signal);
  const of = (name: string): Context => ({ ...context, urn: urnOf(name) });

  const plan = async (declared: Declared, stored: Stored): Promise<MapPlan> => {
    const steps: MapPlan["steps"] = {};
    const failures: MapPlan["failures"] = {};
    await sideBySide(Object.entries(declared), atOnce, async ([name, news]) => {
      const known = stored[name];
      const { inputs, failures: found } = await check(of(name), { olds: known?.inputs, news: { ...news } });
      if (found.length > 0) failures[name] = found;
      if (!known) steps[name] = "create";
      else if (found.length === 0) {
        const { changes, properties } = await diff(of(name), { ...known, inputs, oldInputs: known.inputs });
        const replaces = Object.values(properties).some((property) => property.replaces !== undefined);
        steps[name] = replaces ? "replace" : changes ? "update" : "same";
      }
    });
    for (const name of Object.keys(stored)) if (!declared[name]) steps[name] = "delete";
    return { steps, failures };
  };

  const apply = async (declared: Declared, stored: Stored): Promise<MapResult> => {
    const { steps, failures } = await plan(declared, stored);
    const after: Record<string, Stored[string]> = { ...stored };
    const errors: MapResult["errors"] = {};
    for (const [name, found] of Object.entries(failures)) {
      errors[name] = new Error(found.map(({ property, reason }) => `${property}: ${reason}`).join("; "));
    }
    const gone = async (name: string) => {
      const known = after[name];
      if (known) await remove(of(name), known);
      delete after[name];
    };
    await sideBySide(Object.entries(steps), atOnce, async ([name, step]) => {
      const inputs = declared[name];
      if (errors[name] || step === "same") return;
      try {
        if (step === "delete" || step === "replace") await gone(name);
        if (!inputs) return;
        const known = after[name];
        const request = known && { ...known, inputs, oldInputs: known.inputs };
        after[name] = { ...(request ? await update(of(name), request) : await create(of(name), inputs)), inputs };
      } catch (error) {
        errors[name] = error as Error;
        // What is known of an endpoint is kept, as a host keeps it.
        const { id, state } = error as Partial<StoredEndpoint>;
        if (inputs && id !== undefined && state !== undefined) after[name] = { id, state, inputs };
      }
    });
    return { stored: after, errors };
  };

  const refresh = async (stored: Stored): Promise<Stored> => {
    const after: Record<string, Stored[string]> = {};
    await sideBySide(Object.entries(stored), atOnce, async ([name, known]) => {
      const seen = await read(of(name), { ...known, oldInputs: known.inputs });
      if (seen) after[name] = { id: known.id, state: seen.state, inputs: known.inputs };
    });
    return after;
  };

  return { plan, apply, refresh };
}

/** Runs the work for every item, `atOnce` at a time, in their order. */
async function sideBySide<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
