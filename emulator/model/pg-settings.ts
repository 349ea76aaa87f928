/**
 * Rules for an endpoint's Postgres settings: tuning within bounds is allowed; running programs and opening access are
 * not.
 */

import { type PgSetting, pgSettings } from "./pg-settings.gen";

/** Each unit as a factor of its kind's smallest. */
const units: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1024,
  "8kB": 8 * 1024,
  MB: 1024 ** 2,
  GB: 1024 ** 3,
  TB: 1024 ** 4,
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const memory = ["B", "kB", "MB", "GB", "TB"];
const time = ["us", "ms", "s", "min", "h", "d"];

// Postgres reads a leading zero as octal.
const NUMBER = /^\s*([+-]?(?:0|[1-9]\d{0,18})(?:\.\d{1,18})?(?:e[+-]?\d{1,3})?)\s*([A-Za-z]*)\s*$/i;
const BOOLEAN = /^(on|off|true|false|yes|no|1|0)$/i;

/** The reason why a setting is invalid; `undefined` for a valid one. */
export function settingFailure(name: string, value: string): string | undefined {
  const setting = Object.hasOwn(pgSettings, name.toLowerCase()) ? pgSettings[name.toLowerCase()] : undefined;
  if (!setting) return "no setting that an endpoint with Postgres may have (docs/postgres.md lists them)";

  const { type, values } = setting;
  if (type === "integer" || type === "real") return numberFailure(value, setting);
  if (type === "bool") return BOOLEAN.test(value) ? undefined : "must be on or off";

  if (type === "enum") {
    const known = values?.some((one) => one === value.trim().toLowerCase());
    return known || (values?.includes("on") && BOOLEAN.test(value))
      ? undefined
      : `must be one of ${values?.join(", ")}`;
  }

  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a line of a configuration cannot have
  return /[\x00-\x1f\x7f]/.test(value) || value.length > 1000 ? "must be a text of one line" : undefined;
}

function numberFailure(value: string, { type, unit, min = 0, max = 0 }: PgSetting): string | undefined {
  const range = `must be a number from ${min} to ${max}${unit ? ` (${unit})` : ""}`;
  const [, digits = "", given = ""] = NUMBER.exec(value) ?? [];
  if (digits === "") return range;
  const kind = [memory, time].find((one) => unit && one.includes(unit.replace(/^8/, "")));
  if (given !== "" && !kind?.includes(given)) {
    return kind ? `${given} is no unit of it; use ${kind.join(", ")}` : `${given} is no unit of it; it has none`;
  }

  const exact = given === "" ? Number(digits) : (Number(digits) * (units[given] ?? 1)) / (units[unit ?? ""] ?? 1);
  const amount = type === "integer" ? Math.round(exact) : exact;
  return amount >= min && amount <= max ? undefined : range;
}
