/** Refusals of states that an alias gives to the wrong resource. */
import type { Owner } from "../../lib/owner";
import type { Values } from "../../lib/unknown";
import { commandLines, plain, quoted } from "../../lib/wording";
import { importCommand } from "./commands";
import { messageOf } from "./refusals";

/** The refusal of a single endpoint's state in a fleet, by an alias: the fleet's state would lose the endpoint. */
export function notAFleetMessage(id: string): string {
  return messageOf({
    what: `an alias gives this fleet the state of the single endpoint ${plain(id)}, which would then be in no state any more`,
    ways: [
      `Take the alias off. To have that endpoint in the fleet, set \`importId: "${plain(id)}"\` for a member, in the run in which the ` +
        "single resource leaves the program.",
    ],
  });
}

/** The refusal of a fleet's state in an endpoint, by an alias: the fleet's members would be deleted. */
export function notAnEndpointMessage(id: string): string {
  return messageOf({
    what: `an alias gives this endpoint the state of fleet ${plain(id)}, all of whose members would be deleted`,
    ways: ["Take the alias off."],
  });
}

/** The refusal of another provider's state, by an alias: its id names no project, and its values are others. */
export function anothersStateMessage(id: string, { projectId }: Values, urn: Owner): string {
  const isKnown = typeof projectId === "string";
  const how = isKnown ? "import the endpoint" : `import the endpoint as PROJECT/${plain(id)}`;
  const command = isKnown ? commandLines(importCommand(urn, `${projectId}/${id}`)) : "";
  return messageOf({
    what: `an alias gives this endpoint the state of another provider's resource, ${quoted(id)}, which no alias can hand over`,
    ways: [
      `Take the alias off, and have the old resource let go: run \`pulumi up\` with \`retainOnDelete: true\` for it, and once more without that resource. Then ${how}${isKnown ? ":" : "."}${command}`,
    ],
  });
}
