/** Parses command-line options and reports invalid values. */
import { type Command, Option } from "commander";
import { nearestName, plain } from "../provider/lib/wording";
import { CommandError, exitCodes } from "./exit-code";

/** Builds an option that accepts one of a few words. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).argParser((text) => oneOf(flags, text, words));
}

/** Returns the text if it is one of the words; else throws a usage error with the nearest word. */
export function oneOf<T extends string>(flags: string, text: string, words: readonly T[]): T {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  const near = nearestName(text, words);
  throw refused(flags, text, `not one of ${words.join(", ")}${near === undefined ? "" : `; did you mean "${near}"?`}`);
}

/** A parser for whole numbers from `least` up. */
export function wholeNumber(flags: string, least: number, most: number = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    const bound = most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : "";
    throw refused(flags, text, `not a whole number from ${least}${bound}`);
  };
}

/** A parser for numbers above 0. */
export function positiveNumber(flags: string) {
  return (text: string): number => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (Number.isFinite(value) && value > 0) return value;
    throw refused(flags, text, "not a number above 0");
  };
}

/** A parser for prices: a number above 0, optionally followed by a three-letter currency. */
export function price(flags: string) {
  const number = positiveNumber(flags);
  return (text: string) => {
    const [, amount = text, currency] = text.trim().match(/^([\d.]+) ?([A-Za-z]{3})$/) ?? [];
    const code = currency?.toUpperCase();
    if (code !== undefined && !Intl.supportedValuesOf("currency").includes(code))
      throw refused(flags, text, `no price: ${code} is no currency`);
    return { pricePerCuHour: number(amount), currency: code };
  };
}

function refused(flags: string, text: string, reason: string): CommandError {
  return new CommandError(`${flags.split(" ")[0]}: "${plain(text)}" is ${reason}`, exitCodes.usage);
}

/** Collects the values of a repeatable option. */
export function collect(text: string, all: readonly string[] = []): string[] {
  return [...all, text];
}

/**
 * Makes a command its group's default: the group's help shows its options, and an unknown word gets the nearest
 * command.
 */
export function makeUsual(usual: Command, group: Command): void {
  group.configureHelp({ visibleOptions: () => usual.createHelp().visibleOptions(usual) });
  usual.allowExcessArguments().hook("preAction", () => {
    const [word] = usual.args;
    if (word === undefined) return;
    const names = group.commands.map((command) => command.name());
    const meant = /^ep-|\//.test(word) && names.includes("show") ? `show ${word}` : nearestName(word, names);
    const advice = meant === undefined ? "see --help" : `did you mean "${plain(meant)}"?`;
    throw new CommandError(`unknown command "${plain(word)}"; ${advice}`, exitCodes.usage);
  });
}
