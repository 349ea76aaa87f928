/** An emulator and accounts on it, for a test. */
import { onTestFinished } from "vitest";
import { createEmulator, type EmulatorOptions, type EndpointState } from "../../emulator";
import { systemClock } from "../../provider/lib/clock";
import { type Account, type AccountSettings, openAccount } from "../../provider/platform/account";
import { type ApiOptions, createApi } from "../../provider/platform/client";
import { profiles } from "../../provider/platform/profiles/profiles";
import { createVirtualClock } from "./virtual-clock";

export type { AccountSettings, ApiOptions };
export { profiles, systemClock };

/** A client of the platform. */
export type Api = Account["api"];

/** The time that the virtual clock starts at. */
export const START = Date.UTC(2024, 4, 1, 10, 0, 0);

/** An emulator, a virtual clock for it and the provider, and accounts to work with. */
export type Bench = Awaited<ReturnType<typeof openBench>>;

/** The settings of an account where nothing is configured. */
export const defaultAccountSettings: AccountSettings = {
  plan: undefined,
  profile: profiles.specification,
  checks: "refuse",
  operationTimeoutSeconds: 600,
  adoptInterrupted: false,
};

/** Opens a bench: an emulator at port 0 with a manual clock and operations of a second. Close it yourself. */
export async function openBench(options: EmulatorOptions = {}) {
  const emulator = await createEmulator({ clock: "manual", startAt: START, operationMs: 1_000, ...options });
  const clock = createVirtualClock({ emulator });
  const accounts: Account[] = [];
  const openOne = (apiOptions: Partial<ApiOptions> = {}, settings: Partial<AccountSettings> = {}): Account => {
    const { url: baseUrl, apiKey } = emulator;
    const { setTimer } = clock;
    const all = { ...defaultAccountSettings, ...settings };
    const { profile } = all;
    const api = createApi({ baseUrl, apiKey, clock, setTimer, profile, random: () => 0.5, ...apiOptions });
    const account = openAccount(api, all, apiOptions.clock ?? clock);
    accounts.push(account);
    return account;
  };
  return {
    emulator,
    clock,
    /** Opens an account as a new process of the provider would; closed with the bench. */
    account: openOne,
    /** Opens an account on a client that is there, as a further process would. */
    accountOn: (api: Api, settings: Partial<AccountSettings> = {}) =>
      openAccount(api, { ...defaultAccountSettings, ...settings }, clock),
    /** A branch without endpoints. */
    branch: () => emulator.admin.seedBranch(emulator.projectId).id,
    /** What the platform has on a branch. */
    on: (branchId: string): EndpointState[] =>
      emulator.admin.project(emulator.projectId).endpoints.filter((endpoint) => endpoint.branch_id === branchId),
    /** Runs the work on the virtual clock. */
    run: <T>(work: Promise<T>) => clock.run(work),
    /** The error that the work ends in; fails where it ends well. */
    async fails(work: Promise<unknown>) {
      const error = await clock.run(work.catch((reason: unknown) => reason));
      if (!(error instanceof Error)) throw new Error("it was to fail, and did not");
      return error;
    },
    async close() {
      await Promise.all(accounts.map(({ api }) => api.close()));
      clock.close();
      await emulator.close();
    },
  };
}

/** A bench that is closed with the test. */
export async function useBench(options: EmulatorOptions = {}): Promise<Bench> {
  const bench = await openBench(options);
  onTestFinished(() => bench.close());
  return bench;
}

/** An account that goes by another client, such as one over its own. */
export function accountOver(api: Api, { settings, clock }: Account): Account {
  return openAccount(api, settings, clock);
}
