import { byId, write } from "./dom.js";

/** @import { ConsoleView } from "../view" */

/**
 * Shows the lines that point a Pulumi stack at this emulator.
 *
 * @param {ConsoleView} view
 */
export function showAccess({ access, project }) {
  const lines = [
    `pulumi config set pgcompute:baseUrl ${location.origin}${access.path}`,
    `pulumi config set --secret pgcompute:apiKey ${access.apiKey}`,
    ...(project ? [`pulumi config set projectId ${project.id}`] : []),
  ];
  write(byId("access-lines"), lines.join("\n"));
}

/** Copies the lines; where the browser forbids that, they are selected for the keyboard. Tells whether they were copied. */
export async function copyAccess() {
  const lines = byId("access-lines");
  try {
    await navigator.clipboard.writeText(lines.textContent ?? "");
    return true;
  } catch {
    getSelection()?.selectAllChildren(lines);
    return false;
  }
}
