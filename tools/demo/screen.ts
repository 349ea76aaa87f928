/** What the demo writes, and how it shortens what the engine says. */
import { stripVTControlCharacters, styleText } from "node:util";

/** Where the demo writes, line by line. */
export interface Screen {
  title(text: string): void;
  /** What the engine says, a line each, coloured by the mark it begins with. */
  engine(lines: readonly string[]): void;
  /** Something that the demo says about what was seen. */
  note(text: string): void;
  /** Something that was to hold and does. */
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

/** A screen that writes through `write`; colours only where they are wanted. */
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
 * The engine's text of an up, refresh or destroy without what it shows on the way: how each resource ended, the outputs
 * and the counts. Its messages are left out; they come with the events, each with its resource.
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

/** The engine's text of a preview without blank lines, of each URN the name at its end. */
export function shortened(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.replace(/\[urn=.*::(.+?)\]$/, "[urn=...::$1]"));
}
