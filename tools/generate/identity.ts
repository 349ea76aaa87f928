import { identity } from "../pack/identity.mjs";

/** A package.json with the project's place and the folder in it; other fields stay. */
export function packageJson(text: string, directory?: string): string {
  const { name, version, description, keywords: own, homepage, repository, bugs, ...rest } = JSON.parse(text);
  const keywords = directory === undefined ? identity.keywords : own;
  const place = {
    homepage: identity.homepage,
    repository: { type: "git", url: `git+${identity.repository}.git`, ...(directory && { directory }) },
    bugs: { url: identity.bugs },
  };
  return `${JSON.stringify({ name, version, description, keywords, ...place, ...rest }, null, 2)}\n`;
}
