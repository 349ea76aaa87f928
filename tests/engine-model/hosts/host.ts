/** A host's process, as the engine speaks to it. */
import type { Outside } from "../../../provider/pulumi/session";
import type { Provider } from "../deployment/resource";

/** A provider behind a host, and how the engine interrupts it. */
export interface Host extends Provider {
  cancel(): void;
}

/** What a host is opened with. */
export interface Opened {
  account: ReturnType<Outside["openAccount"]>;
  log: ReturnType<Outside["connectLog"]>;
  /** How long a create, an update and a delete may take, in milliseconds (`customTimeouts`). Default: not said. */
  timeoutMs?: number | undefined;
}

/** The environment of a host: it names the platform, so that the rows tell which one it is. */
export const environment = { PGCOMPUTE_BASE_URL: "http://127.0.0.1:1/v2" };

/** What a host reaches: the account and the engine's log of a test. */
export function outsideOf({ account, log }: Opened): Outside {
  return { openAccount: () => account, connectLog: () => log };
}
