/** A host process's state between calls: account, memory of the run, connection to the engine, cancel signal. */
import { randomBytes } from "node:crypto";
import { namesPlatform } from "../config/resolve";
import { boundsOf, type Reporter } from "../endpoint/context";
import type { Failure } from "../lib/failure";
import { type Owner, resourceOwner, shownUrn } from "../lib/owner";
import type { Values } from "../lib/unknown";
import type { Account } from "../platform/account";
import { asOwnError, PartialError, PgComputeError } from "../platform/errors";
import { type LifecycleContext, ownerOfCall } from "./call";
import { openAccountFrom, toldBy } from "./configuration";
import { connectEngineLog, type EngineLog, engineReporter } from "./engine";
import { messageFor } from "./messages/errors";
import { RunRecords } from "./run";
import { redactText, secretNames } from "./secrets";
import type { MarkedValues } from "./values";

/** What a process reaches outside: the platform, by an account with its clock, and the engine's log. */
export interface Outside {
  /** Opens a configuration's account. Throws `configuration`. */
  openAccount: typeof openAccountFrom;
  connectLog: typeof connectEngineLog;
}

const real: Outside = { openAccount: openAccountFrom, connectLog: connectEngineLog };

/** One process of a host. */
export class Session {
  #run = new RunRecords();
  #said = new Set<string>();
  readonly #process = randomBytes(4).toString("hex");
  #log: EngineLog;
  #account: Account | undefined;
  /** False for a provider that the program configures. */
  #isStacks = true;
  #cancel = new AbortController();
  /** Calls in progress. */
  readonly #calls = new Set<Promise<unknown>>();

  constructor(
    readonly host: LifecycleContext["host"],
    engineAddress: string | undefined,
    readonly env: NodeJS.ProcessEnv,
    private readonly outside = real,
  ) {
    this.#log = this.#connect(engineAddress);
  }

  attach(engineAddress: string | undefined): void {
    if (!engineAddress) return;
    this.#log.close();
    this.#log = this.#connect(engineAddress);
  }

  /** Connects to the engine's log. */
  #connect(engineAddress: string | undefined): EngineLog {
    const log = this.outside.connectLog(engineAddress);
    return { ...log, log: (level, message, urn) => log.log(level, this.told(message), urn) };
  }

  /** A text as people read it: without the account's key, and with the account in the commands. */
  told(text: string): string {
    return this.#account ? toldBy(this.#account, text, { isStacks: this.#isStacks, env: this.env }) : text;
  }

  /** A failure as people read it. */
  readonly toldFailure = ({ property, reason }: Failure): Failure => {
    return { property, reason: this.told(reason) };
  };

  /**
   * Opens a configuration's account and begins a run. `isStacks`: it is the stack's own, as in a plan. Throws
   * `configuration`.
   */
  configure(config: Values, { isStacks }: { isStacks: boolean }): void {
    const previous = this.#account;
    this.#account = this.outside.openAccount(config, this.env, (message) => this.#log.log("warning", message));
    if (this.#cancel.signal.aborted) this.#cancel = new AbortController();
    this.#isStacks = isStacks;
    this.#run = new RunRecords();
    this.#run.isPlatformSaid = isStacks && namesPlatform(config, this.env);
    this.#said = new Set();
    void previous?.api.close();
  }

  /** The configured account. Throws if none is open. */
  account(): Account {
    if (!this.#account) throw new PgComputeError("configuration", "the provider was not configured");
    return this.#account;
  }

  /** Aborts every wait of this run's calls. */
  get signal(): AbortSignal {
    return this.#cancel.signal;
  }

  /** A resource's log row, without the secrets of these values. */
  reporter(urn: string, given: readonly MarkedValues[]): Reporter {
    return engineReporter(this.#log, urn, { said: this.#said, redact: (text) => redactText(text, ...given) });
  }

  /** The context of one call; its lines hide the secrets of `given`. */
  context(urn: string, given: readonly MarkedValues[], timeoutMs: number | undefined): LifecycleContext {
    const account = this.account();
    const secrets = given.flatMap((one) => one.secrets);
    const reporterFor = (owner: Owner) => this.reporter(shownUrn(owner), given);

    return {
      account,
      run: this.#run,
      host: this.host,
      secrets,
      secretNames: () => secretNames(secrets),
      reporter: reporterFor(resourceOwner(urn)),
      reporterFor,
      reportError: (owner, message) => this.#log.log("error", redactText(message, ...given), shownUrn(owner)),
      signal: this.signal,
      ...boundsOf(account, timeoutMs),
      urn: ownerOfCall(urn, this.#process),
    };
  }

  /** Ends every wait, also of later calls: a retry (hook `onError`) must not start work or get lost. */
  cancel(): void {
    this.#cancel.abort();
  }

  get isIdle(): boolean {
    return this.#calls.size === 0;
  }

  /** Tracks a call until it is answered. */
  watch(call: Promise<unknown>): void {
    this.#calls.add(call);
    void call.finally(() => this.#calls.delete(call));
  }

  flush(): Promise<void> {
    return this.#log.flush();
  }

  async idle(): Promise<void> {
    while (!this.isIdle) await Promise.allSettled(this.#calls);
  }

  close(): void {
    this.#log.close();
    void this.#account?.api.close();
  }
}

/** The form of an error for hosts: one message without stack, secrets or key; a partial change's state and failures. */
export function errorForHost(
  error: unknown,
  given: readonly MarkedValues[],
  session: Pick<Session, "told">,
): { message: string; unfinished?: Pick<PartialError, "id" | "state"> & { reasons: string[] } } {
  const told = (text: string) => session.told(redactText(text, ...given));
  const message = told(messageFor(asOwnError(error)));
  if (!(error instanceof PartialError)) return { message };
  const { id, state, reasons } = error;
  return { message, unfinished: { id, state, reasons: reasons?.map(told) ?? [message] } };
}
