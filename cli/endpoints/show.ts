import type { Command } from "commander";
import { callFunction } from "../../provider/functions/functions";
import type { FunctionResult } from "../../provider/functions/model";
import { formatFailures } from "../../provider/lib/failure";
import { cleanText } from "../../provider/lib/text";
import { formatSize } from "../../provider/lib/wording";
import { PgComputeError } from "../../provider/platform/errors";
import { type AccountOptions, addAccountOptions, endpointOf, withAccount } from "../account";
import { exitCodes } from "../exit-code";
import type { Shell } from "../shell";
import { formatTime, toJson } from "../terminal/output";
import { findEndpoint } from "./act";
import { formatDelay, formatState } from "./rows";

type Info = FunctionResult<"getEndpoint">;

interface ShowOptions extends AccountOptions {
  json?: boolean;
}

/** Adds `endpoints show`. `ended` takes the exit code. */
export function addShow(endpoints: Command, shell: Shell, ended: (code: number) => void): void {
  const command = endpoints
    .command("show")
    .description("Shows all that the platform reports of an endpoint.")
    .argument("<endpoint>", "PROJECT/ENDPOINT, or the endpoint's id with --project")
    .option("--json", "for machines");
  addAccountOptions(command).action(async (target: string, options: ShowOptions) =>
    ended(await showEndpoint(shell, target, options)),
  );
}

async function showEndpoint(shell: Shell, target: string, options: ShowOptions): Promise<number> {
  const { projectId, endpointId } = endpointOf(shell, target, options);
  const { result, failures } = await withAccount(shell, options, async (account) => {
    await findEndpoint(account, { projectId, endpointId }, { signal: shell.signal });
    return callFunction(account, "getEndpoint", { projectId, endpointId }, { signal: shell.signal });
  });
  if (!result) throw new PgComputeError("invalid_argument", formatFailures(failures));
  if (options.json) shell.out.write(toJson({ endpoint: result }));
  else shell.out.write(linesOf(result));
  return exitCodes.ok;
}

/** A line for each figure, with the names in one column. */
function linesOf(info: Info): string {
  const rows = Object.entries(factsOf(info)).filter(([, text]) => text !== undefined && text !== "");
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text = ""]) => `${name.padEnd(width)}  ${cleanText(text)}\n`).join("");
}

function factsOf(info: Info): Record<string, string | undefined> {
  const { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max, pgSettings, maxConnections } = info;
  const settings = Object.entries(pgSettings).map(([name, value]) => `${name}=${value}`);
  const time = (iso: string | undefined) => (iso === undefined ? undefined : `${formatTime(iso)} UTC`);
  return {
    Endpoint: info.id,
    Name: info.name,
    Branch: info.branchId,
    Type: info.type,
    State: formatState(info),
    Host: info.host,
    "Pooled host": info.pooledHost,
    Size: formatSize(min, max),
    Memory:
      info.memoryGbMin === info.memoryGbMax
        ? `${info.memoryGbMin} GB`
        : `${info.memoryGbMin} to ${info.memoryGbMax} GB`,
    max_connections: maxConnections === undefined ? undefined : String(maxConnections),
    Autosuspend: formatDelay(info.suspendTimeoutSeconds),
    Pooler: `${info.poolerEnabled ? "on" : "off"} (${info.poolerMode})`,
    "Postgres settings": settings.join(", ") || "none",
    Region: info.regionId,
    Created: time(info.createdAt),
    Changed: time(info.updatedAt),
    "Last active": time(info.lastActive),
  };
}
