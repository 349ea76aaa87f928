/** Where a quotation, a command's output or nothing holds the text. */
type Frame = "plain" | "single" | "double";

const EXPANSION = /^\$(?:[A-Za-z_]\w*|[@*#?!0-9]|\{[^}]*\})/;

/**
 * The expansions of a bash script that a shell would split or match against files: those outside of quotes, but for what is assigned
 * whole. A small reader for scripts that are written plainly: no here-documents, no arithmetic.
 */
export function unquotedIn(script: string): string[] {
  const found: string[] = [];
  const frames: Frame[] = ["plain"];
  for (let at = 0; at < script.length; at++) {
    const frame = frames.at(-1);
    const character = script[at];
    if (frame === "single") {
      if (character === "'") frames.pop();
    } else if (character === "\\") at += 1;
    else if (character === '"') frame === "double" ? frames.pop() : frames.push("double");
    else if (script.startsWith("$(", at)) {
      if (frame === "plain" && !isAssigned(script, at)) found.push("$(");
      frames.push("plain");
      at += 1;
    } else if (character === "$") {
      const [expansion = ""] = script.slice(at).match(EXPANSION) ?? [];
      if (frame === "plain" && expansion !== "" && !isAssigned(script, at)) found.push(expansion);
      at += Math.max(0, expansion.length - 1);
    } else if (frame === "plain") {
      if (character === "'") frames.push("single");
      else if (character === ")" && frames.length > 1) frames.pop();
      else if (character === "#" && /(^|\s)$/.test(script.slice(0, at))) at = endOfLine(script, at);
    }
  }
  return found;
}

/** `a=$b` and `a=$(b)` are not split. */
function isAssigned(script: string, at: number): boolean {
  return /(^|[\s;({])[A-Za-z_]\w*=$/.test(script.slice(0, at));
}

function endOfLine(script: string, at: number): number {
  const end = script.indexOf("\n", at);
  return end < 0 ? script.length : end;
}
