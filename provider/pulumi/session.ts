/** The state of a host's process between calls: account, memory of the run, connection to the engine, and cancel signal. */
import { randomBytes } from "node:crypto";
import { namesPlatform } from "../config/resolve";
import { boundsOf, type Reporter } from "../endpoint/context";
import type { Failure } from "../lib/failure";
import { type Owner, resourceOwner, shownUrn } from "../lib/owner";
import type { Values } from "../lib/unknown";
import type { Account } from "../platform/account";
import { asOwnError, PartialError, PgComputeError } from "../platform/errors";
import { type LifecycleContext, ownerOfCall } from "./call";
import { openAccountFrom } from "./configuration";
import { connectEngineLog, type EngineLog, engineReporter } from "./engine";
import { messageFor } from "./messages/errors";
import { RunRecords } from "./run";
import { redactText, secretNames } from "./secrets";
import type { MarkedValues } from "./values";

/** One process of a host. */
export class Session {
  #run = new RunRecords();
  #said = new Set<string>();
  readonly #process = randomBytes(4).toString("hex");
  #log: EngineLog;
  #account: Account | undefined;
  #cancel = new AbortController();
  /** True if the engine shows rows for parts of a resource. */
  supportsViews = false;
  /** Calls that were not answered yet. */
  readonly #calls = new Set<Promise<unknown>>();

  constructor(
    readonly host: LifecycleContext["host"],
    engineAddress: string | undefined,
    readonly env: NodeJS.ProcessEnv,
  ) {
    this.#log = this.#connect(engineAddress);
  }

  attach(engineAddress: string | undefined): void {
    if (!engineAddress) return;
    this.#log.close();
    this.#log = this.#connect(engineAddress);
  }

  /** The way to the engine, on which no line has the key. */
  #connect(engineAddress: string | undefined): EngineLog {
    const log = connectEngineLog(engineAddress);
    return { ...log, log: (level, message, urn) => log.log(level, this.withoutKey(message), urn) };
  }

  /** A text for people without the key of the account. */
  withoutKey(text: string): string {
    return this.#account?.api.withoutKey(text) ?? text;
  }

  /** A failure of a check without the key of the account. */
  readonly failureWithoutKey = ({ property, reason }: Failure): Failure => {
    return { property, reason: this.withoutKey(reason) };
  };

  /**
   * Opens the account of a configuration, with which a run begins, and forgets the run before; throws `configuration`. With `isStacks` it is
   * what a plan shows as the stack's.
   */
  configure(config: Values, { isStacks }: { isStacks: boolean }): void {
    const previous = this.#account;
    this.#account = openAccountFrom(config, this.env, (message) => this.#log.log("warning", message));
    if (this.#cancel.signal.aborted) this.#cancel = new AbortController();
    this.#run = new RunRecords();
    this.#run.isPlatformSaid = isStacks && namesPlatform(config, this.env);
    this.#said = new Set();
    void previous?.api.close();
  }

  /** The configured account; throws where there is none yet. */
  account(): Account {
    if (!this.#account) throw new PgComputeError("configuration", "the provider was not configured");
    return this.#account;
  }

  /** Ends every wait of this run's calls. */
  get signal(): AbortSignal {
    return this.#cancel.signal;
  }

  /** The lines of a row, which must not show the secrets of these values. */
  reporter(urn: string, given: readonly MarkedValues[]): Reporter {
    return engineReporter(this.#log, urn, { said: this.#said, redact: (text) => redactText(text, ...given) });
  }

  /** The context of one call, with values whose secrets its lines must not show, and the user's timeout, where there is one. */
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

  /** Ends every wait, also of calls that come yet: a change that the engine repeats (hook `onError`) must begin nothing, and not be lost. */
  cancel(): void {
    this.#cancel.abort();
  }

  get isIdle(): boolean {
    return this.#calls.size === 0;
  }

  /** Takes note of a call, until it was answered. */
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

/** An error as a host tells it: one message without a stack, secrets or the key; how far the change got, where it got so far, with what failed. */
export function toldError(
  error: unknown,
  given: readonly MarkedValues[],
  session: Pick<Session, "withoutKey">,
): { message: string; unfinished?: Pick<PartialError, "id" | "state"> & { reasons: string[] } } {
  const told = (text: string) => session.withoutKey(redactText(text, ...given));
  const message = told(messageFor(asOwnError(error)));
  if (!(error instanceof PartialError)) return { message };
  const { id, state, reasons } = error;
  return { message, unfinished: { id, state, reasons: reasons?.map(told) ?? [message] } };
}
