/** What the engine prints of a preview, in both of its forms: one document at its end, and an event a line. */
import { UNKNOWN } from "../../engine-model/deployment/resource";
import { PROVIDER, resourceOf, urnOf } from "../../engine-model/names";
import type { Row } from "../../engine-model/process";
import type { PrintedStep, Run, Stored, Values } from "../../engine-model/words";
import { secret as marked } from "../../support/messages";
import { outputPlaces, type Path, withPlaces } from "./secret-places";

/** The hidden inputs of each resource, by name: secret on either side, or unknown in the old one. */
export type Unshown = Record<"before" | "after" | "unknownBefore", ReadonlyMap<string, readonly Path[]>>;

/** What of a case the engine's output depends on, besides the run. */
export interface Printing {
  host: "plugin" | "dynamic";
  unshown: Unshown;
  /** What the provider said of resources, in order. */
  said: readonly Omit<Row, "urn">[];
  config: Readonly<Record<string, string>>;
}

type Form = "digest" | "stream";

const STACK = "urn:pulumi:test::shop::pulumi:pulumi:Stack::shop-test";
const STACK_STATE = { type: "pulumi:pulumi:Stack" };
const provider = `${PROVIDER}::0000`;

/** What `pulumi preview --json` prints. */
export function digestOf(run: Run, printing: Printing): string {
  // Of what stays as it is, the document has the stack alone.
  const changing = run.printed.filter(({ op }) => op !== "same");
  const steps = changing.map((step) => {
    const { op, urn, type, before, after, told } = stepOf(step, printing, "digest");
    return {
      ...{ op, urn, ...(before && { oldState: { type, ...before } }), ...(after && { newState: { type, ...after } }) },
      ...(told?.diffs.length && { diffReasons: told.diffs }),
      ...(told?.replaces.length && { replaceReasons: told.replaces }),
      detailedDiff: detailOf(told, (kind) => ({ kind, inputDiff: false })),
    };
  });
  const stack = { op: "same", urn: STACK, oldState: STACK_STATE, newState: STACK_STATE, detailedDiff: null };
  const diagnostics = saidIn(printing).map(({ urn, message, severity }) => {
    const prefix = severity === "info" ? "" : `${severity}: `;
    return { urn, message: `${prefix}${message}\n`, severity };
  });
  return JSON.stringify({ config: printing.config, steps: [stack, ...steps], diagnostics, duration: 1 });
}

/** What was said, by the resource that it was said of: a status is no diagnostic. */
function saidIn({ said, host }: Printing) {
  return said.flatMap(({ name, level, message }) => {
    if (level === "status") return [];
    const severity = level === "warn" ? "warning" : level;
    const urn = name === PROVIDER ? name : hosted(urnOf(resourceOf(name)), host);
    return [{ urn, severity, message }];
  });
}

/** What it prints with PULUMI_ENABLE_STREAMING_JSON_PREVIEW. */
export function eventsOf(run: Run, printing: Printing): string {
  const stack = { op: "same", urn: STACK, type: "pulumi:pulumi:Stack", old: STACK_STATE, new: STACK_STATE };
  const events: Values[] = [{ preludeEvent: { config: printing.config } }, { resourcePreEvent: { metadata: stack } }];
  for (const { urn, severity, message } of saidIn(printing)) {
    events.push({ diagnosticEvent: { urn, message: `${message}\n`, severity } });
  }
  for (const step of run.printed) {
    const { op, urn, type, before, after, told } = stepOf(step, printing, "stream");
    const ops = step.op === "replace" ? replacementOps(step) : [op];
    for (const one of ops) {
      const [hasOld, hasNew] = [before !== undefined, after !== undefined && one !== "delete-replaced"];
      // An import has two: as the program has it, and as it was found.
      const asked = step.wanted && stepOf({ ...step, old: undefined, inputs: step.wanted }, printing, "stream");
      if (asked) {
        const metadata = { op, urn, type, new: { type, ...asked.after }, detailedDiff: null };
        events.push({ resourcePreEvent: { metadata, planning: true } });
      }
      // What leaves goes under the name that it had.
      const formerUrn = hosted(urnOf(step.old?.name ?? step.name), printing.host);
      const metadata = {
        ...{
          op: one,
          urn: one === "delete-replaced" ? formerUrn : urn,
          type,
          ...(hasOld && { old: { type, ...before } }),
          ...(hasNew && { new: { type, ...after } }),
        },
        ...(one !== "delete-replaced" && told?.diffs.length && { diffs: told.diffs }),
        ...(one !== "delete-replaced" && told?.replaces.length && { keys: told.replaces }),
        detailedDiff: one === "delete-replaced" ? null : detailOf(told, (diffKind) => ({ diffKind, inputDiff: false })),
      };
      events.push({ resourcePreEvent: { metadata, planning: true } });
      events.push({ resOutputsEvent: { metadata, planning: true } });
    }
  }
  events.push({ summaryEvent: { result: "succeeded" } });
  return events.map((event, sequence) => JSON.stringify({ sequence, timestamp: 1, ...event })).join("\n");
}

function replacementOps({ deleteFirst }: PrintedStep): string[] {
  if (deleteFirst) return ["delete-replaced", "replace", "create-replacement"];
  return ["create-replacement", "replace", "delete-replaced"];
}

function stepOf(step: PrintedStep, printing: Printing, form: Form) {
  const { op, name, wanted, told, deleteFirst, isLeftover } = step;
  // The document shows an import as the program has it, and the events as it was found.
  const { old, inputs } = wanted && form === "digest" ? { old: undefined, inputs: wanted } : step;
  const urn = urnOf(name);
  const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
  const place = { urn: hosted(urn, printing.host), type: hosted(type, printing.host) };
  // A resource has its secrets by the name of the program; one that leaves, by that of the state.
  const pathsOf = (which: keyof Unshown) =>
    printing.unshown[which].get(name) ?? (old && printing.unshown[which].get(old.name)) ?? [];
  const secrets = pathsOf("after");
  const marks = { ...(isLeftover && { delete: true }) };
  // Events do not tell what waits for its replacement.
  const first = form === "digest" ? { pendingReplacement: true } : {};
  const replaced = op === "replace" && (deleteFirst ? first : { delete: true });
  const unshown = { secrets: pathsOf("before"), unknowns: pathsOf("unknownBefore") };
  const before = old && { ...sideOf(old, unshown, form), ...marks, ...replaced };
  const after = inputs && op !== "delete" ? { provider, inputs: inputsOf(inputs, secrets, form) } : undefined;
  const isForced = op === "replace" && told === undefined;
  return { ...place, op, before, after, told: isForced ? { diffs: [], replaces: ["id"] } : told };
}

function sideOf(
  { id, inputs, state }: Stored,
  { secrets, unknowns }: { secrets: readonly Path[]; unknowns: readonly Path[] },
  form: Form,
) {
  const [secret, unknown] = [outputPlaces(state, secrets), outputPlaces(state, unknowns)];
  const outputs = withPlaces(state, [...secret, ...unknown]);
  return {
    ...{ id, provider },
    inputs: shown(inputs, secrets, form, unknowns),
    outputs: shown(outputs, secret, form, unknown),
  };
}

function inputsOf(inputs: Values, secrets: readonly Path[], form: Form): Values {
  return shown(inputs, secrets, form);
}

function detailOf<T>(told: PrintedStep["told"], entry: (kind: string) => T): Record<string, T> | null {
  const all = Object.entries(told?.detailed ?? {});
  return all.length === 0 ? null : Object.fromEntries(all.map(([path, kind]) => [path, entry(kind)]));
}

/** A URN or a type as a host has it; the other tests have those of the plugin. */
export function hosted(text: string, host: Printing["host"]): string {
  return host === "plugin" ? text : text.replaceAll("pgcompute:index:", "pulumi-nodejs:dynamic/pgcompute:");
}

/** The values with secrets and unknown ones as the engine prints them. */
function shown(values: Values, secrets: readonly Path[], form: Form, unknowns: readonly Path[] = []): Values {
  const secret = form === "digest" ? "[secret]" : { ...marked(undefined), ciphertext: "[secret]" };
  const within = (paths: readonly Path[], key: string) =>
    paths.flatMap(([first, ...rest]) => (first === key ? [rest] : []));
  const isHere = (paths: readonly Path[]) => paths.some((path) => path.length === 0);
  const show = (value: unknown, hidden: readonly Path[], unknown: readonly Path[]): unknown => {
    if (value === undefined) return undefined;
    if (isHere(hidden)) return secret;
    if (isHere(unknown)) return UNKNOWN;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, show(one, within(hidden, key), within(unknown, key))]),
    );
  };
  return show(values, secrets, unknowns) as Values;
}
