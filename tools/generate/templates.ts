/** templates/: what `pulumi new` begins with, the programs of `init`. */
import { languages, templateFiles } from "../../cli/init/program";
import { identity } from "../pack/identity.mjs";

/** The files of every template by their paths, for packages of this version. */
export function templates(version: string): Record<string, () => string> {
  const { pluginUrl, goModule, repository } = identity;
  const next = {
    typescript: undefined,
    yaml: `First: pulumi plugin install resource pgcompute v${version} --server ${pluginUrl}`,
    python: `First: pulumi package add ${repository}`,
    go: `First: pulumi package add ${repository}`,
  };
  const all = languages.flatMap((language) => {
    const files = templateFiles({ language, packageSource: `^${version}`, goModule }, next[language]);
    return Object.entries(files).map(([name, text]) => [`templates/${language}/${name}`, () => text] as const);
  });
  return Object.fromEntries(all);
}
