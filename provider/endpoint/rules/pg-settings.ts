/** Rules on Postgres settings: names, which ignore case, and settings that the platform controls. */
import type { Failure } from "../../lib/failure";
import { isKnown, type Maybe } from "../../lib/unknown";
import { formatSize, plain } from "../../lib/wording";
import { POOLED_CONNECTIONS_LIMIT, type Profile } from "../../platform/profiles/profile";
import { specification } from "../../platform/profiles/profiles";
import { computeSizesOf, getComputeSize } from "./compute-size";

/** An endpoint's size in CU, as returned by `sizeRange`. */
type Range = { minCu: number; maxCu: number };

/** A setting's name in Postgres's form, in lower case. */
export function settingName(name: string): string {
  return name.toLowerCase();
}

/** Settings with their names in Postgres's form. */
export function withSettingNames<T>(settings: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [settingName(name), value]));
}

/** Failures of settings given twice in different case: Postgres would take only one. */
export function checkSettingNames(pgSettings: Maybe<Record<string, unknown>>): Failure[] {
  if (!isKnown(pgSettings)) return [];
  const first = new Map<string, string>();
  const failures: Failure[] = [];

  for (const name of Object.keys(pgSettings)) {
    const other = first.get(settingName(name));
    if (other === undefined) first.set(settingName(name), name);
    else {
      const reason = `Postgres reads this as ${plain(other)}, which is set as well, since case does not count in names: keep one of them`;
      failures.push({ property: `pgSettings.${name}`, reason });
    }
  }
  return failures;
}

/**
 * Warnings for Postgres settings that the platform controls (specification, section 2.4, sizing rules 1 to 3; section
 * 8), without the values.
 */
export function platformSettingWarnings(
  pgSettings: Maybe<Record<string, unknown>>,
  size?: Maybe<Range>,
  profile: Profile = specification,
): Failure[] {
  if (!isKnown(pgSettings)) return [];
  const range = isKnown(size) ? size : undefined;
  const warnings: Failure[] = [];

  for (const [name, value] of Object.entries(pgSettings)) {
    const property = `pgSettings.${name}`;
    const setting = settingName(name);
    if (setting === "shared_buffers") warnings.push({ property, reason: sharedBuffersMessage(range, profile) });
    if (setting === "max_connections")
      warnings.push({ property, reason: maxConnectionsMessage(value, range, profile) });
  }
  return warnings;
}

function sharedBuffersMessage(range: Range | undefined, profile: Profile): string {
  const ends = range === undefined ? [] : [...new Set([range.minCu, range.maxCu])];
  const sizes = ends.flatMap((cu) => getComputeSize(cu, profile) ?? []);
  const { sharedBuffers } = profile;
  const [smallest = 0] = ends;
  if (sharedBuffers !== undefined && smallest >= sharedBuffers.fromCu) {
    return (
      `has no effect: from ${sharedBuffers.fromCu} CU on the platform sets shared_buffers by the size, up to ${100 * sharedBuffers.share}% of ` +
      "RAM. Remove the setting"
    );
  }

  const guideline = sizes.map((size) => `${size.sharedBuffersGuidelineGb} GB at ${size.cu} CU`).join(", ");
  return (
    "has no effect: shared_buffers stays at 128 MB on this platform, where a local file cache extends the effective " +
    `cache to ${100 * profile.cacheShare}% of RAM instead${guideline === "" ? "" : ` (${guideline})`}. ` +
    "Remove the setting; for more cache choose a larger size"
  );
}

function maxConnectionsMessage(value: unknown, range: Range | undefined, profile: Profile): string {
  const autoscales = range !== undefined && range.minCu !== range.maxCu;
  const present = range && profile.maxConnections(range.minCu, range.maxCu);
  const source = autoscales ? `${profile.connectionsSetBy}, and does not grow with autoscaling` : "the compute size";
  const number = range && present !== undefined ? ` (${present} at ${formatSize(range.minCu, range.maxCu)})` : "";
  const advice = sizeAdvice(value, present, autoscales ? "a minimum size" : "a size", profile);

  return (
    `has no effect: max_connections follows from ${source}${number}. Remove the setting${advice}. For more clients than that, ` +
    `poolerEnabled serves up to ${POOLED_CONNECTIONS_LIMIT.toLocaleString("en-US")} pooled connections at any size`
  );
}

function sizeAdvice(value: unknown, present = 0, size: string, profile: Profile): string {
  const wanted = Number(/^\s*\d{1,9}\s*$/.test(String(value)) ? value : 0);
  if (wanted === 0) return "";
  if (present >= wanted) return "; the size already gives what it asks for";
  const enough = computeSizesOf(profile).find(({ maxConnections }) => maxConnections >= wanted);
  if (enough === undefined) return "; no size of the table gives what it asks for";
  return `; what it asks for needs ${size} of ${enough.cu} CU (${enough.maxConnections})`;
}
