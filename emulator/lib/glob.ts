/** Texts with asterisks, which stand for any text. Unlike a regular expression, none can take long to match. */

/** True when the pattern is the whole text. The first place for each part is the right one, so nothing is tried twice. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
