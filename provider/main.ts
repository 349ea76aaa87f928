/** The plugin's executable: serves the engine, or prints what it is to a person. */
import schema from "../schema.json";
import { serve } from "./pulumi/plugin/server";
import { version } from "./version";

const help = `pulumi-resource-pgcompute ${version}: ${schema.description}

Pulumi's engine starts this program by itself, for programs that declare pgcompute's resources. Put it on PATH, or install it with

  pulumi plugin install resource pgcompute v${version} --file TARBALL

Options:
  --version   print the version
  --help      print this text

With anything else, or with nothing, it serves the engine on a port of this machine, prints the port, and runs until it is told to end.
`;

const argv = process.argv.slice(2);
const answer = answerTo(argv);
if (answer === undefined) void serve(argv, process.env);
else process.stdout.write(answer);

/** The output for a person who runs the plugin by hand; undefined if the engine started it. */
function answerTo([first, ...more]: readonly string[]): string | undefined {
  if (more.length > 0) return undefined;
  if (first === "--version") return `${version}\n`;
  return first === "--help" || first === "-h" ? help : undefined;
}
