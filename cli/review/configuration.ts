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
 * The platform that a plan is for: what the provider has said during the preview, else what the stack's settings say or their address stands
 * for. Undefined where that tells none, or several, or where endpoints have a provider of their own, which has other settings.
 */
export function platformOf(plan: Plan): Profile | undefined {
  const said = new Set(plan.messages.flatMap(({ message }) => platformIn(message) ?? []));
  if (said.size > 0) return said.size === 1 ? [...said][0] : undefined;
  const own = plan.steps
    .filter(({ type }) => hostOf(type))
    .flatMap(({ before, after }) => [before?.provider, after?.provider]);
  const isNamed = (urn = "") => typeOfUrn(urn) === PROVIDER && !nameOfUrn(urn).startsWith("default");
  if (own.some(isNamed)) return undefined;
  const { [`${NAMESPACE}platform`]: platform = "", [`${NAMESPACE}baseUrl`]: address } = plainSettings(plan);
  if (Object.hasOwn(profiles, platform)) return profiles[platform as ProfileName];
  const url = address === undefined ? undefined : parseBaseUrl(address).url;
  return url && profileOf(undefined, url);
}

/** The stack's plain settings of this provider, never with the key. */
export function plainSettings({ config }: Plan): Record<string, string> {
  const own = Object.entries(config).filter(([key]) => key.startsWith(NAMESPACE) && key !== `${NAMESPACE}apiKey`);
  return Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The plain settings of a plan that may be of a program with dynamic resources: it shows none that these had before, to be compared
 * with. A plan in which nothing of this provider stands may be one.
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
