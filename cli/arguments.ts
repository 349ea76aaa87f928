/** How options are read. */
import { InvalidArgumentError } from "commander";

/** Reads an option that is a whole number from `least` up. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(
      `give a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ""}.`,
    );
  };
}

/** Reads an option that is a number above 0. */
export function positiveNumber(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("give a number above 0.");
}

/** Collects an option that may be given several times. */
export function collect(text: string, all: readonly string[] = []): string[] {
  return [...all, text];
}
