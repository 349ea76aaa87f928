import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { DataFolder } from "./data-folder";
import type { Passwords } from "./server-config";

/** What nobody else may know of an emulator with servers, made at random. */
export interface Secrets extends Passwords {
  apiKey: string;
  /** Of the admin calls and the console. */
  token: string;
}

const FILE = "passwords.json";

// They go into SQL and into libpq's files of passwords, where other characters mean something.
const password = z.string().regex(/^[0-9a-f]{16,64}$/);
const saved = z.strictObject({
  admin: password,
  client: password,
  replication: password,
  apiKey: password,
  token: password,
});

/** The secrets of a folder, made where it has none: they are in its data, and stay as long as those. Throws for others. */
export function secretsIn({ path }: DataFolder): Secrets {
  const file = join(path, FILE);
  if (!existsSync(file)) {
    const made = () => randomBytes(18).toString("hex");
    const fresh = { admin: made(), client: made(), replication: made(), apiKey: made(), token: made() };
    writeFileSync(file, JSON.stringify(fresh), { mode: 0o600 });
    return fresh;
  }
  try {
    return saved.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    throw new Error(`data: ${file} has no passwords of an emulator`);
  }
}
