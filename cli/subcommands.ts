/** Groups of commands of which one is meant where none is named. */
import type { Command } from "commander";
import { nearestName, plain } from "../provider/lib/wording";
import { CommandError, exitCodes } from "./exit-code";

/** Shows the options of a group's default command in the help of the group, which is where people look for them. */
export function showDefaultOptions(group: Command, usual: Command): void {
  group.addHelpText("after", ({ error }) => {
    const help = usual.createHelp();
    const { getOutHelpWidth, getErrHelpWidth } = usual.configureOutput();
    const helpWidth = (error ? getErrHelpWidth : getOutHelpWidth)?.();
    help.prepareContext({ ...(helpWidth !== undefined && { helpWidth }) });
    const options = help.visibleOptions(usual).filter((option) => option.long !== "--help");
    const width = Math.max(...options.map((option) => help.optionTerm(option).length));
    const lines = options.map((option) =>
      help.formatItem(help.optionTerm(option), width, help.optionDescription(option), help),
    );
    return ["", `Without a command it does \`${usual.name()}\`, whose options are:`, ...lines].join("\n");
  });
  // A word that is no command goes to the default one, which knows better what to say of it.
  usual.allowExcessArguments();
}

/** Refuses what stands where a command of the group belongs, with the one that was probably meant. */
export function nameTheCommand(usual: Command): void {
  const [word] = usual.args;
  if (word === undefined) return;
  const names = usual.parent?.commands.map((command) => command.name()) ?? [];
  const meant = /^ep-|\//.test(word) && names.includes("show") ? `show ${word}` : nearestName(word, names);
  const advice = meant === undefined ? "see --help" : `did you mean "${plain(meant)}"?`;
  throw new CommandError(`unknown command "${plain(word)}"; ${advice}`, exitCodes.usage);
}
