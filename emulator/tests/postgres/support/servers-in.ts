/** What runs for a folder of data: the servers, and the shells that watch them. */
import { commandOf } from "../../../postgres/processes";
import { processes, runFolderOf } from "./open-postgres";

/** The servers whose data lie in a folder, by process. What a client's backend is called has no folder in it. */
export function serversIn(folder: string): number[] {
  return processes().filter((pid) => commandOf(pid).includes(` -D ${folder}/`));
}

/** The shells that are to end a server in its emulator's place, by process: they have the folder of its sockets. */
export function watchdogsOf(server: number): number[] {
  const run = runFolderOf(server);
  return processes().filter((pid) => commandOf(pid).startsWith("/bin/sh") && commandOf(pid).endsWith(` ${run}`));
}
