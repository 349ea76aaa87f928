/** A process of the provider, as each run of the engine has one: what it is told, what it says, and when it dies. */
import { AsyncLocalStorage } from "node:async_hooks";
import { accountOver, type Bench } from "../support/bench";
import { createMortalApi, type Death } from "../support/mortal-api";
import type { Provider } from "./deployment/resource";
import { openDynamic } from "./hosts/dynamic";
import type { Opened } from "./hosts/host";
import { openPlugin } from "./hosts/plugin";
import { nameOfRow } from "./names";
import type { Process as Host } from "./words";

type Account = ReturnType<Bench["account"]>;

/** A line that a process has said, and the row that it is on. */
export interface Row {
  level: "info" | "warn" | "status" | "error";
  urn: string;
  /** The resource, or the member: `fleet/a`. */
  name: string;
  message: string;
}

/** What a process is opened with. */
export interface Circumstances {
  host: Host["host"];
  account: Account;
  /** When it is killed: at which of its calls. */
  death?: Death | undefined;
  /** Hears of each call as it begins, by number and name. */
  onCall?: ((call: number, name: string) => void) | undefined;
  /** How long each change may take, in milliseconds (`customTimeouts`). */
  timeoutMs?: number | undefined;
  /** Aborted where a person interrupts the run. */
  signal?: AbortSignal | undefined;
  /** Lays something over the client; `caller` gives the URN that the call under way is about. */
  laidOver?(api: Account["api"], caller: () => string): Account["api"];
}

/** A process that has been opened. */
export interface Process extends Host {
  rows: Row[];
  /** Resolves when the process has been killed; no call of it goes on from there. */
  died: Promise<"died">;
}

/**
 * The resource that a call is about. One for all processes, since each makes every promise slower; entered only where
 * somebody asks for it.
 */
const calling = new AsyncLocalStorage<string>();

const levels = { info: "info", warning: "warn", status: "status", error: "error" } as const;

/** Opens a process. */
export function openProcess({ host, account, death, onCall, timeoutMs, signal, laidOver }: Circumstances): Process {
  const rows: Row[] = [];
  const caller = () => calling.getStore() ?? "";
  const { api: mortal, died } = createMortalApi(account.api, death, onCall);
  const watched = death !== undefined || onCall !== undefined ? mortal : account.api;
  const api = laidOver ? laidOver(watched, caller) : watched;

  const log: Opened["log"] = {
    log: (level, message, urn = "") => {
      const name = nameOfRow(urn, caller());
      rows.push({ level: levels[level], urn, name, message });
    },
    flush: async () => {},
    close: () => {},
  };
  const opened = { account: api === account.api ? account : accountOver(api, account), log, timeoutMs };
  const opening = (host === "plugin" ? openPlugin : openDynamic)(opened).then((provider) => {
    signal?.addEventListener("abort", provider.cancel);
    if (signal?.aborted) provider.cancel();
    return provider;
  });
  const about =
    <Asked extends { urn: string }, Answer>(call: (provider: Provider, asked: Asked) => Promise<Answer>) =>
    async (asked: Asked) => {
      const provider = await opening;
      return laidOver ? calling.run(asked.urn, () => call(provider, asked)) : call(provider, asked);
    };
  return {
    ...{ host, rows, died, clock: account.clock, timeoutMs, sent: () => 0 },
    provider: {
      check: about((provider, asked) => provider.check(asked)),
      diff: about((provider, asked) => provider.diff(asked)),
      create: about((provider, asked) => provider.create(asked)),
      update: about((provider, asked) => provider.update(asked)),
      read: about((provider, asked) => provider.read(asked)),
      delete: about((provider, asked) => provider.delete(asked)),
    },
  };
}
