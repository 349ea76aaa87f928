/** Files that are there whole or not at all. */

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** Writes a file, on the disk when this returns. Throws, and leaves what was there, where there is no room. */
export function writeWhole(file: string, text: string): void {
  const part = `${file}.part`;
  try {
    writeAndSync(part, text);
    renameSync(part, file);
  } catch (error) {
    // Part of a file would keep the room that it could not have.
    rmSync(part, { force: true });
    throw error;
  }
}

function writeAndSync(file: string, text: string): void {
  const opened = openSync(file, "w", 0o600);
  try {
    writeFileSync(opened, text);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
