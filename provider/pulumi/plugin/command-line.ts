import schema from "../../../schema.json";
import { version } from "../../version";

const help = `pulumi-resource-pgcompute ${version}: ${schema.description}

Pulumi's engine starts this program by itself, for programs that declare pgcompute's resources. Put it on PATH, or install it with

  pulumi plugin install resource pgcompute v${version} --file TARBALL

Options:
  --version   print the version
  --help      print this text

With anything else, or with nothing, it serves the engine on a port of this machine, prints the port, and runs until it is told to end.
`;

/** What the executable answers to a person, instead of serving; undefined where it was the engine that started it. */
export function answerTo(argv: readonly string[]): string | undefined {
  if (argv.length !== 1) return undefined;
  if (argv[0] === "--version") return `${version}\n`;
  return argv[0] === "--help" || argv[0] === "-h" ? help : undefined;
}
