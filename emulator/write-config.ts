/** `--write-config`: the address, the platform and the key of an emulator, in the configuration of the Pulumi stack that is selected. */
import { spawn } from "node:child_process";
import { isIP } from "node:net";
import type { PlatformName } from "./settings/platforms";

/** The emulator's values for a stack's configuration. */
interface Access {
  url: string;
  apiKey: string;
  platform: PlatformName;
}

/** The surroundings of the command. */
interface Around {
  /** Runs `pulumi`, and gives what it wrote. */
  pulumi: typeof runPulumi;
  /** Whether there is a terminal that `pulumi` can ask at. */
  canAsk: boolean;
}

/** The lines by which a person does the same. */
export function configLines({ url, apiKey, platform }: Access): string[] {
  return [
    `pulumi config set pgcompute:baseUrl ${url}`,
    `pulumi config set pgcompute:platform ${platform}`,
    `pulumi config set --secret pgcompute:apiKey ${apiKey}`,
  ];
}

/** A stack has an address and a key that are no emulator's. */
export class ForeignConfigError extends Error {}

/**
 * Has `pulumi` write address, platform and key into the current stack of the working folder, the key as a secret. Gives the stack's name;
 * rejects with what pulumi says where it does not do it, and where the stack has another platform's address or key, unless told to `replace` them.
 */
export async function writeConfig(
  { url, apiKey, platform }: Access,
  { replace = false, pulumi = runPulumi, canAsk = process.stdin.isTTY }: Partial<Around & { replace: boolean }> = {},
): Promise<string> {
  // Asked first, because the next command would make a stack up where none is selected.
  const stack = (await pulumi(["stack", "--show-name", "--non-interactive"])).trim();
  if (!replace) refuseForeign(stack, await pulumi(["config", "--json", "--non-interactive"]));
  await pulumi(["config", "set", "pgcompute:baseUrl", url, "--non-interactive"]);
  await pulumi(["config", "set", "pgcompute:platform", platform, "--non-interactive"]);
  const setKey = ["config", "set", "--secret", "pgcompute:apiKey"];
  try {
    // Every user of the machine can see arguments, so the key is none.
    await pulumi([...setKey, "--non-interactive"], apiKey);
  } catch (error) {
    if (!canAsk) throw error;
    // The stack's passphrase may be in no variable. Then Pulumi has to ask for it, and the key cannot come by the same terminal.
    await pulumi([...setKey, apiKey], "terminal");
  }
  return stack;
}

/** Refuses a stack whose address, or whose key without one, is not that of an emulator, which is always this machine's. */
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

/** Runs `pulumi` with a text as its input, or at the terminal, where it can ask. Gives what it wrote, where that was not to the terminal. */
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
    // It may have ended without reading.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
