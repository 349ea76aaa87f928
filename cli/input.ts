/** What a command reads: a file, or standard input, in whatever encoding it was written. */
import { readFile } from "node:fs/promises";
import { CommandError, exitCodes, unreadable } from "./exit-code";
import type { Shell } from "./shell";

/** How people call what is read, and what they can do at a terminal, where there is nothing to read. */
export interface Reading {
  what: "plan" | "state";
  advice: string;
}

/** The bytes of a file, or of standard input for `-`. Throws a `CommandError` where there are none to be had. */
export async function readInput({ stdin }: Pick<Shell, "stdin">, file: string, reading: Reading): Promise<Uint8Array> {
  if (file !== "-") {
    return readFile(file).catch((error: Error) => {
      throw unreadable(reading.what, error.message, { cause: error });
    });
  }
  if (stdin.isTerminal) throw new CommandError(reading.advice, exitCodes.usage);
  return stdin.read();
}

/** PowerShell's `>` writes UTF-16, and some editors a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}
