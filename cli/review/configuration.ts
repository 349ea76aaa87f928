/** What a plan says of the provider's configuration: its changes, and its present values. */

import { nameOfUrn, typeOfUrn } from "../../provider/lib/owner";
import { cleanText } from "../../provider/lib/redact";
import { plain } from "../../provider/lib/wording";
import { parseBaseUrl } from "../../provider/platform/http/base-url";
import type { Profile, ProfileName } from "../../provider/platform/profiles/profile";
import { platformIn, profileOf, profiles } from "../../provider/platform/profiles/profiles";
import { hostOf } from "../hosts";
import type { Plan, PlanStep } from "./plan-model";

/** A provider whose configuration changes. */
export interface ConfigurationChange {
  urn: string;
  name: string;
  /** A sentence for each setting. */
  says: string[];
}

const PROVIDER = "pulumi:providers:pgcompute";
/** Of a text; what a seal holds must not be cut to the same. */
const LONGEST = 2_000;
const NAMESPACE = "pgcompute:";
/** True for a step of this project's provider. */
export function isProvider({ type }: Pick<PlanStep, "type">): boolean {
  return type === PROVIDER;
}

/**
 * The providers whose configuration changes, and how, as each says on its own row: it says nothing else there. The engine shows no step
 * of a default provider, and not which secret differs.
 */
export function configurationChanges({ messages }: Plan): ConfigurationChange[] {
  const found = new Map<string, Set<string>>();
  for (const { urn, message } of messages) {
    if (typeOfUrn(urn) === PROVIDER) found.set(urn, (found.get(urn) ?? new Set()).add(cleanText(message, LONGEST)));
  }
  return [...found]
    .map(([urn, says]) => ({ urn: cleanText(urn, LONGEST), name: plain(nameOfUrn(urn)), says: [...says].sort() }))
    .sort((a, b) => (a.urn < b.urn ? -1 : 1));
}

/**
 * The platform that a plan is for: what the provider has said during the preview, else what the providers of its endpoints are set to, or
 * the addresses of those stand for. Undefined where that tells none, or several.
 */
export function platformOf(plan: Plan): Profile | undefined {
  const said = plan.messages.flatMap(({ message }) => platformIn(message) ?? []);
  const found = new Set(said.length > 0 ? said : settingsOf(plan).map(configuredPlatform));
  return found.size === 1 ? [...found][0] : undefined;
}

/** The settings of each provider that has endpoints in a plan; the stack's are those of the engine's default one, of which it shows no step. */
function settingsOf(plan: Plan): Readonly<Record<string, unknown>>[] {
  const shown = new Map(
    plan.steps.filter(isProvider).map(({ urn, after, before }) => [urn, (after ?? before)?.inputs]),
  );
  const sides = plan.steps
    .filter(({ type }) => hostOf(type))
    .flatMap(({ before, after }) => [before?.provider ?? [], after?.provider ?? []].flat());
  // An id follows the provider's URN. Dynamic resources have one of Pulumi's.
  const urns = new Set(sides.map((provider) => provider.slice(0, Math.max(0, provider.lastIndexOf(":") - 1))));
  const ofStack = plainSettings(plan);
  if (urns.size === 0) return [ofStack];
  return [...urns].map((urn) => {
    const isNamed = typeOfUrn(urn) === PROVIDER && !nameOfUrn(urn).startsWith("default");
    return shown.get(urn) ?? (isNamed ? {} : ofStack);
  });
}

function configuredPlatform(settings: Readonly<Record<string, unknown>>): Profile | undefined {
  const own = (name: string) => settings[`${NAMESPACE}${name}`] ?? settings[name];
  const [platform, address] = [own("platform"), own("baseUrl")];
  if (typeof platform === "string" && Object.hasOwn(profiles, platform)) return profiles[platform as ProfileName];
  const url = typeof address === "string" ? parseBaseUrl(address).url : undefined;
  return url && profileOf(undefined, url);
}

/** The stack's plain settings of this provider, never with the key. */
export function plainSettings({ config }: Plan): Record<string, string> {
  const own = Object.entries(config).filter(([key]) => key.startsWith(NAMESPACE) && key !== `${NAMESPACE}apiKey`);
  return Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The plain settings of a plan that may be of a program with dynamic resources: their state keeps no configuration that these could be
 * compared with. A plan in which nothing of this provider stands may be one.
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
