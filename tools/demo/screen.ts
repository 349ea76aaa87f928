/** The demo's output, and how it shortens the engine's. */
import { stripVTControlCharacters, styleText } from "node:util";

/** The demo's output, line by line. */
export interface Screen {
  title(text: string): void;
  /** The engine's output, one line each, coloured by its mark. */
  engine(lines: readonly string[]): void;
  /** A remark of the demo. */
  note(text: string): void;
  /** A promise that holds. */
  good(text: string): void;
  failure(text: string): void;
}

type Style = Parameters<typeof styleText>[0];

const marks: [RegExp, Style][] = [
  [/^ *\+/, "green"],
  [/^ *~/, "yellow"],
  [/^ *-(?!-)/, "red"],
  [/^ *warning:/, "yellow"],
];
const INDENT = "    ";

/** A screen that writes through `write`, in colours if wanted. */
export function createScreen(write: (text: string) => void, colours: boolean): Screen {
  const paint = (style: Style, text: string) => (colours ? styleText(style, text, { validateStream: false }) : text);
  const line = (text: string) => write(`${text}\n`);
  return {
    title: (text) => line(`\n${paint("bold", text)}`),
    engine(lines) {
      for (const text of lines.map(stripVTControlCharacters)) {
        const style = marks.find(([mark]) => mark.test(text))?.[1];
        line(`${INDENT}${style ? paint(style, text) : text}`.trimEnd());
      }
    },
    note: (text) => line(`${INDENT}${paint("dim", text)}`),
    good: (text) => line(`  ${paint("green", "ok")}  ${text}`),
    failure: (text) => line(`\n${paint("red", text)}`),
  };
}

/**
 * The engine's text of an up, refresh or destroy without progress: the outcome of each resource, outputs and counts.
 * Its messages come with the events, by resource.
 */
export function withoutProgress(text: string): string[] {
  const kept: string[] = [];
  let block = "";
  for (const line of text.split("\n")) {
    const heading = /^(Diagnostics|Outputs|Resources|Duration):/.exec(line)?.[1];
    if (heading) block = heading;
    else if (/^\S/.test(line)) block = "";
    const row = /^( [ +~-] {2}\S+ \S+ (?:created|updated|deleted|refreshed) \([\d.]+m?s\))(?: (\[diff: .*?\]))?/.exec(
      line,
    );
    if (row) kept.push(row.slice(1).filter(Boolean).join(" "));
    else if (["Outputs", "Resources", "Duration"].includes(block) && line.trim() !== "") kept.push(line);
  }
  return kept;
}

/** The engine's text of a preview without blank lines, with each URN's name only. */
export function shortened(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.replace(/\[urn=.*::(.+?)\]$/, "[urn=...::$1]"));
}
