/** A process of the provider, as each run of the engine has one: what it is told, what it says, and when it dies. */
import { boundsOf } from "../../provider/endpoint/context";
import { type Owner, resourceOwner, shownUrn } from "../../provider/lib/owner";
import { type Account, openAccount } from "../../provider/platform/account";
import type { Api } from "../../provider/platform/api";
import type { LifecycleContext } from "../../provider/pulumi/call";
import { RunRecords } from "../../provider/pulumi/run";
import { createMortalApi, type Death } from "../support/mortal-api";
import type { Process as Host } from "./words";

/** A line that a process has said, and the row that it is on. */
export interface Row {
  level: "info" | "warn" | "status" | "error";
  urn: Owner;
  /** The resource, or the member: `fleet/a`. */
  name: string;
  message: string;
}

/** What a process is opened with. */
export interface Circumstances {
  host: Host["host"];
  account: Account;
  /** What the run knows already. Default nothing. */
  run?: RunRecords | undefined;
  /** When it is killed: at which of its calls. */
  death?: Death | undefined;
  /** Hears of each call as it begins, by number and name. */
  onCall?: ((call: number, name: string) => void) | undefined;
  /** How long each call may take, in milliseconds (`customTimeouts`). */
  timeoutMs?: number | undefined;
  /** What else the calls about a resource have, such as a signal. */
  part?: Partial<LifecycleContext> | undefined;
  /** The client for the calls about one resource. */
  apiOf?(urn: Owner, api: Api): Api;
}

/** A process that has been opened. */
export interface Process extends Host {
  rows: Row[];
  /** Resolves when the process has been killed; no call of it goes on from there. */
  died: Promise<"died">;
}

/** Opens a process. */
export function openProcess({ host, account, death, onCall, timeoutMs, part, apiOf, run }: Circumstances) {
  const rows: Row[] = [];
  const records = run ?? new RunRecords();
  const { api, died } = createMortalApi(account.api, death, onCall);
  const isWatched = death !== undefined || onCall !== undefined;
  const own = isWatched ? openAccount(api, account.settings, account.clock) : account;
  const { signal } = new AbortController();
  const say = (level: Row["level"], urn: Owner) => (message: string) => {
    const name = shownUrn(urn).split("::").at(-1) ?? "";
    rows.push({ level, urn, name, message });
  };
  const reporterFor = (owner: Owner) => ({
    info: say("info", owner),
    warn: say("warn", owner),
    status: say("status", owner),
  });
  const context = (urn: string): LifecycleContext => {
    const owner = resourceOwner(urn);
    return {
      account: apiOf ? { ...own, api: apiOf(owner, own.api) } : own,
      ...{ run: records, host, signal, reporterFor, reporter: reporterFor(owner), ...boundsOf(account, timeoutMs) },
      reportError: (of: Owner, message: string) => say("error", of)(message),
      ...part,
      urn: owner,
    };
  };
  return { host, rows, died, context, sent: () => 0 } satisfies Process;
}
