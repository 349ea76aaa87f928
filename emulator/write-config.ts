/**
 * `--write-config`: writes an emulator's address, platform and key to the configuration of the selected Pulumi stack.
 */
import { spawn } from "node:child_process";
import { isIP } from "node:net";
import type { PlatformName } from "./settings/platforms";

/** The emulator's values for a stack's configuration. */
interface Access {
  url: string;
  apiKey: string;
  platform: PlatformName;
}

/** The command's environment. */
interface Around {
  /** Runs `pulumi` and returns its output. */
  pulumi: typeof runPulumi;
  /** True if `pulumi` can ask at a terminal. */
  canAsk: boolean;
}

/** The commands for a person to do the same. */
export function configLines({ url, apiKey, platform }: Access): string[] {
  return [
    `pulumi config set pgcompute:baseUrl ${url}`,
    `pulumi config set pgcompute:platform ${platform}`,
    `pulumi config set --secret pgcompute:apiKey ${apiKey}`,
  ];
}

/** The stack has an address and a key that are not an emulator's. */
export class ForeignConfigError extends Error {}

/**
 * Has `pulumi` write address, platform and key to the current stack. Returns its name. Rejects for another platform's
 * stack without `replace`.
 */
export async function writeConfig(
  { url, apiKey, platform }: Access,
  { replace = false, pulumi = runPulumi, canAsk = process.stdin.isTTY }: Partial<Around & { replace: boolean }> = {},
): Promise<string> {
  // First, because the next command would create a missing stack.
  const stack = (await pulumi(["stack", "--show-name", "--non-interactive"])).trim();
  if (!replace) refuseForeign(stack, await pulumi(["config", "--json", "--non-interactive"]));
  await pulumi(["config", "set", "pgcompute:baseUrl", url, "--non-interactive"]);
  await pulumi(["config", "set", "pgcompute:platform", platform, "--non-interactive"]);
  const setKey = ["config", "set", "--secret", "pgcompute:apiKey"];

  try {
    // By standard input: every user of the machine can see arguments.
    await pulumi([...setKey, "--non-interactive"], apiKey);
  } catch (error) {
    if (!canAsk) throw error;
    // Without a passphrase variable Pulumi asks for it, so the key cannot come by the same terminal.
    await pulumi([...setKey, apiKey], "terminal");
  }
  return stack;
}

/** Refuses a stack whose address, or whose key without an address, is not an emulator's, always on this machine. */
function refuseForeign(stack: string, json: string): void {
  const config: Record<string, { value?: string } | undefined> = JSON.parse(json);
  const address = config["pgcompute:baseUrl"];
  const has = address
    ? !isOfThisMachine(address.value) && `the address ${address.value ?? "of a platform as a secret"}`
    : config["pgcompute:apiKey"] && "a key of the public platform";

  if (has)
    throw new ForeignConfigError(
      `stack ${stack} has ${has}; select another stack, or give --force to replace address and key`,
    );
}

function isOfThisMachine(address: string | undefined): boolean {
  if (address === undefined || !URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return hostname === "localhost" || hostname === "[::1]" || (isIP(hostname) === 4 && hostname.startsWith("127."));
}

/** Runs `pulumi` with a text as input, or at the terminal for questions. Returns its output, unless at the terminal. */
function runPulumi(args: string[], input: string | "terminal" = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("pulumi", args, { stdio: input === "terminal" ? "inherit" : "pipe" });
    let out = "";
    let err = "";
    child.stdout?.on("data", (data) => {
      out += String(data);
    });

    child.stderr?.on("data", (data) => {
      err += String(data);
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      reject(new Error(error.code === "ENOENT" ? "there is no pulumi on PATH" : error.message));
    });

    child.on("close", (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(`pulumi ${args.slice(0, 2).join(" ")}: ${(err || out).trim().replace(/^error: /, "")}`));
    });

    // It may end without reading.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
