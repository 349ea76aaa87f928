/** The commands and the options in a message, as people copy them. */

/** They stand in backticks, or on lines of their own. */
const command =
  /`((?:[A-Z_]+=\S+ )?(?:pulumi|npx|node|pgcompute) [^`]+)`|^ +((?:[A-Z_]+=(?:"[^"]*"|\S+) )?(?:pulumi|npx|node|pgcompute) .*)$/gm;

/** Every command in a text, in its order. */
export function commandsIn(text: string): string[] {
  return [...text.matchAll(command)].map(([, quoted, told]) => (quoted ?? told ?? "").trim());
}

/** The first command with these words in it; fails where there is none. */
export function commandIn(text: string, words: string): string {
  const found = commandsIn(text).find((one) => one.includes(words));
  if (found === undefined) throw new Error(`no command with "${words}" in: ${text}`);
  return found;
}

/** The value that a message gives an option, such as `maxDeletions: 3`; fails where it gives none. */
export function optionIn(text: string, name: string): unknown {
  const value = text.match(new RegExp(`\`${name}: ([^\`]+)\``))?.[1];
  if (value === undefined) throw new Error(`no value of ${name} in: ${text}`);
  return value.startsWith("[") ? value : JSON.parse(value);
}
