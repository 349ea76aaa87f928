/** README.md: whether there is a release, and the ways in, of which the first is one that works today. */
import { identity } from "../pack/identity.mjs";
import { released } from "../release/released.mjs";

const needs = "Node 20.19 or newer and the [Pulumi CLI](https://www.pulumi.com/docs/install/) (3.216 or newer)";

/** README.md with its generated parts for a version; the rest stays. */
export function readme(text: string, version: string): string {
  return part(part(text, "release", statusOf(version)), "ways in", waysIn(version).join("\n"));
}

/** Replaces what stands between two comments of this name. Throws without them. */
function part(text: string, name: string, content: string): string {
  const [before, rest] = text.split(`<!-- ${name} -->\n`);
  const [, after] = rest?.split(`<!-- /${name} -->\n`) ?? [];
  if (before === undefined || after === undefined) throw new Error(`README.md has no part "${name}"`);
  return `${before}<!-- ${name} -->\n${content}<!-- /${name} -->\n${after}`;
}

function statusOf(version: string): string {
  return released
    ? `It is new (${version}). npm has it, and the git tag of a release holds the built package, which npm and Pulumi can fetch too.\n`
    : "**Nothing is released yet.** What works today is [a clone](#from-a-clone). Lines with a version, here and on other pages, are for the first release.\n";
}

/** emulator/README.md with how it is started and installed; the rest stays. */
export function emulatorReadme(text: string, version: string): string {
  return part(part(text, "start", emulatorLines(version)), "install", emulatorInstall(version));
}

const emulatorSource = (version: string) =>
  released ? `"git+${identity.repository}#emulator-v${version}"` : "../pulumi-pgcompute/emulator";

const emulatorLines = (version: string) => `\`\`\`
npm install --save-dev ${emulatorSource(version)}
pulumi login --local --non-interactive
pulumi stack init dev
npx --no-install pgcompute-emulator --branch dev --data .emulator --write-config
\`\`\`
`;

const emulatorInstall = (version: string) =>
  released
    ? `**Install** (Node 20.19 or newer): \`npm install --save-dev pgcompute-emulator\`, from the git tag of a release as above, or from a clone, by
\`npm install --save-dev ../pulumi-pgcompute/emulator\` after \`make build\`.
`
    : `**Install** (Node 20.19 or newer). Nothing is released yet: install it from a clone, as above, after \`make build\` there. Below, lines with \`emulator-v${version}\` are for
the first release.
`;

function waysIn(version: string): string[] {
  return released ? [use(version), tried(version), clone] : [clone, fromGit, use(version)];
}

const emulator = `The emulator ([a package of its own](emulator/README.md)) stands in for the platform. \`pulumi login --local\` keeps the state on your machine,
and with \`--non-interactive\` opens no menu. Pulumi asks for a passphrase of your choice.`;

const afterwards = `The emulator keeps running, and prints the address of its console, where you can watch in a browser. Once it has printed
its address, the stack has address and key. Run in a second terminal, in the same folder${released ? "" : " (after the line of `make engine`, if you use that)"}:

\`\`\`
pulumi up
\`\`\`

Change a size in \`Pulumi.yaml\` and run \`pulumi preview\`; \`pulumi destroy\` removes both endpoints. When you start the emulator again with
\`--data .emulator\`, it has the endpoints of before, and the same key.
`;

const written = `\`init\` asks for the project and the branch, and writes a program of a primary and a replica in TypeScript, or with \`--language\` in YAML,
Python or Go. If the branch has an endpoint already, the program adopts it with its settings.`;

const use = (version: string) => `## Use it${released ? "" : ", once there is a release"}

With an account and its [API key](docs/how-to.md#get-an-api-key), ${needs}:

\`\`\`
mkdir orders && cd orders
npm install "git+${identity.repository}#v${version}"
export PGCOMPUTE_API_KEY=...
npx --no-install pgcompute init && npm install
pulumi stack init dev && pulumi up
\`\`\`

Pulumi keeps the state in its cloud and asks for your account; \`pulumi login --local --non-interactive\` before the last line keeps it on your machine. The lines are for bash and zsh; in
Windows PowerShell write \`;\` for \`&&\`, and \`$env:PGCOMPUTE_API_KEY = "..."\` for \`export\`.

${released ? `${written} ` : ""}In a program of your own, in any language:

\`\`\`
pulumi package add ${identity.repository}@${version}
\`\`\`
`;

const tried = (version: string) => `## Try it, without an account

${emulator}

\`\`\`
mkdir shop && cd shop
npm install "git+${identity.repository}#v${version}"
npx --no-install pgcompute init --language yaml --emulator && npm install
pulumi login --local --non-interactive && pulumi stack init dev
npx --no-install pgcompute-emulator --branch dev --data .emulator --write-config
\`\`\`

${afterwards}`;

const clone = `## From a clone

With git, make, ${needs}. Where there is no Pulumi CLI, \`make engine\` builds one with Go 1.26 or newer, which takes some
minutes, once, and prints the line that puts it on \`PATH\`. It runs programs in YAML alone; Pulumi's own release runs them all.

**Without an account:**

\`\`\`
make build
node bin/pgcompute.cjs init ../shop --language yaml --emulator
cd ../shop && npm install
pulumi login --local --non-interactive && pulumi stack init dev
npx --no-install pgcompute-emulator --branch dev --data .emulator --write-config
\`\`\`

${released ? "The rest is as above." : `${emulator}\n\n${afterwards}`}
**With an account** and its [API key](docs/how-to.md#get-an-api-key):

\`\`\`
export PGCOMPUTE_API_KEY=...
node bin/pgcompute.cjs init ../orders
\`\`\`

${released ? "It writes a program that uses the clone," : `${written} It uses the clone,`} and prints the lines that come next. Pages call the command by
\`npx --no-install pgcompute\`. Programs in YAML, Python and Go that use the clone have no npm package: run the clone's \`bin/pgcompute.cjs\` by \`node\` there.

| | |
| --- | --- |
| \`make demo\` | an endpoint's whole life on the real engine, against the emulator, without an account |
| \`make test\` | every check and every test |
`;

const fromGit = `## From a git address

npm builds the package from a branch or a commit of any git host, which takes minutes. HOST/OWNER is where your clone has its own from:

\`\`\`
mkdir orders && cd orders
npm install "git+https://HOST/OWNER/pulumi-pgcompute"
npx --no-install pgcompute init && npm install
\`\`\`
`;
