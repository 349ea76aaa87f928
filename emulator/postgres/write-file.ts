/** Writes files atomically. */

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** Writes a file, on disk on return. Without room it throws, and the old file stays. */
export function writeWhole(file: string, text: string): void {
  const part = `${file}.part`;
  try {
    writeAndSync(part, text);
    renameSync(part, file);
  } catch (error) {
    // A partial file would keep the little room there is.
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
