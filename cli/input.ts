/** Reads a file or standard input, as UTF-8 or UTF-16, and writes files. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { z } from "zod";
import { plain } from "../provider/lib/wording";
import { CommandError, exitCodes, unreadable } from "./exit-code";
import type { Shell } from "./shell";

/** Texts for error messages: the input's name, and the advice if standard input is a terminal. */
export interface Reading {
  what: "plan" | "seal" | "state";
  advice: string;
}

/** The bytes of a file, or of standard input for `-`. Throws a `CommandError` if it cannot be read. */
export async function readInput({ stdin }: Pick<Shell, "stdin">, file: string, reading: Reading): Promise<Uint8Array> {
  if (file !== "-") {
    return readFile(file).catch((error: Error) => {
      throw unreadable(reading.what, fileProblem(error, file), { cause: error });
    });
  }
  if (stdin.isTerminal) throw new CommandError(reading.advice, exitCodes.usage);
  return stdin.read();
}

/** Writes a file. Throws a `CommandError` with the file's name or `what`. */
export async function writeText(file: string, text: string, what = plain(file)): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (cause) {
    const problem = fileProblem(cause as Error, file, "written");
    throw new CommandError(`cannot write ${what}: ${problem}`, exitCodes.failed, { cause });
  }
}

/** Removes a file. Throws a `CommandError` where that is not possible. */
export async function removeFile(file: string): Promise<void> {
  await rm(file).catch((cause: Error) => {
    throw new CommandError(`cannot remove ${plain(file)}: ${fileProblem(cause, file, "written")}`, exitCodes.failed, {
      cause,
    });
  });
}

/** The value of a JSON text; undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a state. Throws a `CommandError` with the first invalid place and `form`, the expected form. */
export function parseState<T>(text: string, model: z.ZodType<T>, form: string): T {
  const json = parseJson(text);
  // The parser's own message quotes the text, which may hold secrets.
  if (json === undefined) throw unreadable("state", text.trim() === "" ? "it is empty" : "it is no JSON");
  const { data, error } = model.safeParse(json);
  if (!error) return data;
  const [issue] = error.issues;
  throw unreadable("state", `${issue?.path.join(".") || "it"} is not ${form}: ${issue?.message ?? ""}`);
}

/** The reason why a file cannot be read or written. */
function fileProblem(error: NodeJS.ErrnoException, file: string, how: "read" | "written" = "read"): string {
  const shown = plain(file);
  const forbidden = `the permissions of ${shown} do not allow it`;

  const problems: Readonly<Record<string, string>> = {
    ENOENT: how === "read" ? `there is no file ${shown}` : `there is no folder ${plain(dirname(file))}`,
    EISDIR: `${shown} is a folder`,
    ENOTDIR: `a part of ${shown} is a file, and no folder`,
    EACCES: forbidden,
    EPERM: forbidden,
  };
  return problems[error.code ?? ""] ?? error.message;
}

/** Decodes a text: PowerShell's `>` writes UTF-16, and some editors a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}
