import { ApiError } from "../lib/errors";
import type { Refusal } from "./messages";

// Of "PostgreSQL Error Codes"; what has no better one is a connection that the server rejected.
const codes: Readonly<Record<number, string>> = { 404: "08004", 406: "57P03", 423: "57P03" };

/** How Postgres says what the platform refuses. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ApiError))
    return { code: "XX000", message: error instanceof Error ? error.message : String(error) };
  if (error.code === "TOO_MANY_CONNECTIONS") {
    return { code: "53300", message: "sorry, too many clients already", hint: error.message };
  }
  return { code: codes[error.status] ?? "08004", message: error.message };
}
