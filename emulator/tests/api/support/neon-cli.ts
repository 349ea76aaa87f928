import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { temporaryFolder } from "../../../../tests/support/temporary-folder";
import type { Emulator } from "../../../index";

/** The platform's own command line, pointed at an emulator, and what it writes into its folder. */
export interface NeonCli {
  (...args: string[]): Promise<string>;
  read(file: string): string;
}

/** The platform's own command line, pointed at an emulator. */
export function neonOn({ url, apiKey }: Emulator): NeonCli {
  const home = temporaryFolder();
  const env = { PATH: process.env.PATH, HOME: home, CI: "1", NEON_API_HOST: url, NEON_API_KEY: apiKey };
  const script = createRequire(import.meta.url).resolve("neon/cli");
  const run = (...args: string[]) =>
    new Promise<string>((resolve, reject) => {
      execFile(process.execPath, [script, "--no-analytics", ...args], { env, cwd: home }, (error, stdout, stderr) => {
        if (error) reject(new Error(`neon ${args.join(" ")}: ${stdout}${stderr}`));
        else resolve(stdout);
      });
    });
  return Object.assign(run, { read: (file: string) => readFileSync(join(home, file), "utf8") });
}
