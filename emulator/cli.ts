import { parseArgs } from "node:util";
import { createEmulator } from "./index";
import type { EmulatorOptions } from "./settings/options";

const HELP = `Usage: pgcompute-emulator [options]

Runs the control plane of a branchable Postgres platform in memory.

  --port N           TCP port; 0 takes a free one (default 4010)
  --host H           address to listen on (default 127.0.0.1)
  --plan free|paid   plan of the seeded project (default paid)
  --operation-ms N   how long an operation runs, in milliseconds (default 500)
  --api-key K        API key to ask for (default a random one)
  --help             shows this text
`;

main().catch((error: unknown) => {
  console.error(`pgcompute-emulator: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (!options) {
    process.stdout.write(HELP);
    return;
  }
  const emulator = await createEmulator(options);
  process.stdout.write(
    `${[
      `address   ${emulator.url}`,
      `key       ${emulator.apiKey}`,
      `project   ${emulator.projectId}`,
      `branch    ${emulator.branchId}`,
      `endpoint  ${emulator.endpointId}`,
      `admin     ${emulator.adminUrl}`,
      `console   ${emulator.consoleUrl}`,
    ].join("\n")}\n`,
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void emulator.close());
}

/** The options of a command line; `undefined` when help is asked for. Throws on anything that is no option. */
function readOptions(args: string[]): EmulatorOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string" },
      host: { type: "string" },
      plan: { type: "string" },
      "operation-ms": { type: "string" },
      "api-key": { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return undefined;
  const { host, plan, "api-key": apiKey } = values;
  if (plan !== undefined && plan !== "free" && plan !== "paid") throw new RangeError("--plan: use free or paid");
  const operationMs = wholeNumber("--operation-ms", values["operation-ms"], 86_400_000);
  return {
    port: wholeNumber("--port", values.port, 65_535) ?? 4010,
    ...(host !== undefined && { host }),
    ...(plan !== undefined && { plan }),
    ...(operationMs !== undefined && { operationMs }),
    ...(apiKey !== undefined && { apiKey }),
  };
}

function wholeNumber(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= max)) throw new RangeError(`${name}: use a whole number from 0 to ${max}`);
  return value;
}
