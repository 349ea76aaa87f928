/** Reads the provider's configuration and its changes from a plan. */
import { isDeepStrictEqual } from "node:util";

import { nameOfUrn, typeOfUrn } from "../../provider/lib/owner";
import { cleanText } from "../../provider/lib/redact";
import { hasUnknown, ownValue } from "../../provider/lib/unknown";
import { plain } from "../../provider/lib/wording";
import { parseBaseUrl } from "../../provider/platform/http/base-url";
import type { Profile, ProfileName } from "../../provider/platform/profiles/profile";
import { platformIn, profileOf, profiles } from "../../provider/platform/profiles/profiles";
import { hostOf } from "../hosts";
import { planValue } from "./change";
import { harmless } from "./fate";
import { holdsSecret, type Plan, type PlanStep, SECRET, SECRET_TEXT } from "./plan-model";

/** A provider whose configuration changes. */
export interface ConfigurationChange {
  urn: string;
  name: string;
  /** One sentence per setting. */
  says: string[];
}

const PROVIDER = "pulumi:providers:pgcompute";
/** Maximum length of a value: a seal must not cut two values to the same text. */
const LONGEST = 2_000;
const NAMESPACE = "pgcompute:";
/** True for a step of this project's provider. */
export function isProvider({ type }: Pick<PlanStep, "type">): boolean {
  return type === PROVIDER;
}

/** Providers with a changed configuration, from messages on their rows and from their steps. */
export function configurationChanges({ messages, steps }: Plan): ConfigurationChange[] {
  const found = new Map<string, Set<string>>();
  const add = (urn: string, text: string) =>
    found.set(urn, (found.get(urn) ?? new Set()).add(cleanText(text, LONGEST)));
  for (const { urn, message } of messages) if (typeOfUrn(urn) === PROVIDER) add(urn, message);
  for (const step of steps) {
    if (!isProvider(step) || harmless.has(step.op)) continue;
    for (const text of settingChanges(step)) add(step.urn, text);
  }

  return [...found]
    .map(([urn, says]) => ({ urn: cleanText(urn, LONGEST), name: plain(nameOfUrn(urn)), says: [...says].sort() }))
    .sort((a, b) => (a.urn < b.urn ? -1 : 1));
}

/** A provider's settings that differ, or may differ, between the sides of its step. */
function settingChanges({ before, after }: PlanStep): string[] {
  if (!before || !after) return [];
  const [olds, news] = [before.inputs, after.inputs];
  const names = [...new Set([...Object.keys(olds), ...Object.keys(news)])].filter((name) => !isEngines(name));

  return names.flatMap((name) => {
    const [was, is] = [ownValue(olds, name), ownValue(news, name)];
    const isShown = ![was, is].some((one) => holdsSecret(one) || hasUnknown(one));
    if (isShown && isDeepStrictEqual(was ?? undefined, is ?? undefined)) return [];
    // The key is nearly always secret, and the provider reports its change.
    if (name === "apiKey" && was === SECRET && is === SECRET) return [];
    // A secret side may equal the other.
    const [from, to] = [was, is].some(holdsSecret) ? [SECRET, SECRET] : [was, is];
    return [`${plain(name)} from ${shownSetting(from)} to ${shownSetting(to)}`];
  });
}

/** True for settings that the engine adds to a provider. */
function isEngines(name: string): boolean {
  return ["version", "pluginDownloadURL", "pluginChecksums"].includes(name) || name.startsWith("__");
}

function shownSetting(value: unknown): string {
  const found = planValue(value);
  if (found.is === "value") return typeof found.value === "string" ? found.value : JSON.stringify(found.value);
  return { unset: "not set", secret: SECRET_TEXT, unknown: "a value that is not known yet", kept: "" }[found.is];
}

/** The plan's platform: from the provider's message, else the stack's settings or address. Undefined if uncertain. */
export function platformOf(plan: Plan): Profile | undefined {
  const said = new Set(plan.messages.flatMap(({ message }) => platformIn(message) ?? []));
  if (said.size > 0) return said.size === 1 ? [...said][0] : undefined;
  const own = plan.steps
    .filter(({ type }) => hostOf(type))
    .flatMap(({ before, after }) => [before?.provider, after?.provider]);
  const isNamed = (urn = "") => typeOfUrn(urn) === PROVIDER && !nameOfUrn(urn).startsWith("default");
  if (own.some(isNamed)) return undefined;

  const { [`${NAMESPACE}platform`]: platform, [`${NAMESPACE}baseUrl`]: address } = plainSettings(plan);
  if (platform !== undefined) return Object.hasOwn(profiles, platform) ? profiles[platform as ProfileName] : undefined;
  if (address === undefined) return isPlanned(plan) ? profileOf(undefined, undefined) : undefined;
  const { url } = parseBaseUrl(address);
  return url && profileOf(undefined, url);
}

/**
 * True if the provider planned a change: its messages would then name a platform from the environment. An import is the
 * engine's plan.
 */
function isPlanned({ steps }: Plan): boolean {
  const imported = new Set(steps.filter(({ op }) => op.startsWith("import")).map(({ urn }) => urn));
  return steps.some(
    ({ type, op, urn }) =>
      hostOf(type) !== undefined && !imported.has(urn) && /^(?:create|update|replace|refresh)/.test(op),
  );
}

/** What a new branch does to an endpoint that can move; undefined if the plan does not tell. */
export type Moves = "inPlace" | "replace" | undefined;

/** The setting `moves` of the stack's own provider, which is in no variable of the environment. */
export function movesOf({ config }: Plan): Moves {
  const said = config[`${NAMESPACE}moves`] ?? "inPlace";
  return said === "inPlace" || said === "replace" ? said : undefined;
}

/** The stack's plain settings of this provider, without the key. */
export function plainSettings({ config }: Plan): Record<string, string> {
  const own = Object.entries(config).filter(([key]) => key.startsWith(NAMESPACE) && key !== `${NAMESPACE}apiKey`);
  return Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The addresses that the plan names, in the stack's settings or for a provider. Invalid ones are as they stand. */
export function addressesIn(plan: Plan): string[] {
  const sides = plan.steps
    .filter(isProvider)
    .flatMap(({ before, after }) => [before?.inputs.baseUrl, after?.inputs.baseUrl]);
  const named = [plainSettings(plan)[`${NAMESPACE}baseUrl`], ...sides].filter((one) => typeof one === "string");
  return [...new Set(named.map((address) => parseBaseUrl(address).url?.href ?? address))];
}

/**
 * The plan's plain settings if the program may have dynamic resources, whose old settings no plan contains; else
 * undefined.
 */
export function uncomparedSettings(plan: Plan): Record<string, string> | undefined {
  const told = [...plan.messages.map(({ urn }) => urn), ...plan.failed];
  const types = [...plan.steps.map(({ type }) => type), ...told.map(typeOfUrn)];
  const settings = plainSettings(plan);
  const found = new Set(types.map((type) => hostOf(type)?.name));
  if (found.has("dynamic")) return settings;
  const isPlugins = found.has("plugin") || types.includes(PROVIDER);
  return isPlugins || Object.keys(settings).length === 0 ? undefined : settings;
}
