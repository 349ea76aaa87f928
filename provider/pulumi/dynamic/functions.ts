/** The functions as a TypeScript program runs them: in its own process, for its own stack. */
import { log, RunError, runtime } from "@pulumi/pulumi";
import { configEnvironment } from "../../config/model";
import { callFunction } from "../../functions/functions";
import type { FunctionArgs, FunctionName, FunctionResult } from "../../functions/model";
import { formatFailures } from "../../lib/failure";
import type { Account } from "../../platform/account";
import { asOwnError, type ErrorKind, PgComputeError } from "../../platform/errors";
import type { Profile, ProfileName } from "../../platform/profiles/profile";
import { openAccountFrom, profileFrom, settingsIn } from "../configuration";
import { messageFor } from "../messages/errors";
import { redactText } from "../secrets";
import type { Path } from "../values";

/** The accounts by their configuration: programs of several stacks may run side by side in one process. */
const accounts = new Map<string, Account>();

/** A function that failed. A program that does not catch it ends with the message alone, without a stack trace. */
export class FunctionError extends RunError {
  constructor(
    /** The kind of error, as in the reference of errors. */
    readonly kind: ErrorKind,
    message: string,
  ) {
    super(message);
    this.name = "FunctionError";
  }
}

/** Runs a function in the program's own process, or as a call of the engine where a unit test has set mocks. Throws a `FunctionError` without a cause: that has the secret arguments in the clear. */
export async function invoke<N extends FunctionName>(
  name: N,
  args: FunctionArgs<N>,
  secrets: readonly Path[] = [],
): Promise<FunctionResult<N>> {
  if (isMocked()) return runtime.invoke(`pgcompute:index:${name}`, { ...args });

  let opened: Account | undefined;
  try {
    opened = configuredAccount();
    return await run(opened, name, args);
  } catch (reason) {
    const error = asOwnError(reason);
    const message = redactText(messageFor(error), { values: args, secrets });
    throw new FunctionError(error.kind, opened?.api.withoutKey(message) ?? message);
  }
}

/** A unit test has set mocks: nothing of it may reach the platform. */
function isMocked(): boolean {
  const monitor = runtime.getMonitor();
  return monitor !== undefined && "mocks" in monitor;
}

async function run<N extends FunctionName>(
  account: Account,
  name: N,
  args: FunctionArgs<N>,
): Promise<FunctionResult<N>> {
  // The resources' own changes are made in another process, so that a snapshot of this one may lack them.
  const { result, failures } = await callFunction(account, name, args, { sinceMs: account.clock.now() });
  if (!failures) return result;
  const reasons = formatFailures(failures);
  throw new PgComputeError("invalid_argument", `${name}: ${reasons}`);
}

/** The platform of this name, else that of the stack's configuration and the environment. Throws a `FunctionError` where that cannot be used. */
export function profileOfStack(platform?: ProfileName): Profile {
  try {
    return profileFrom(
      { ...settingsIn(runtime.allConfig()), ...(platform !== undefined && { platform }) },
      process.env,
    );
  } catch (reason) {
    throw new FunctionError("configuration", messageFor(asOwnError(reason)));
  }
}

/** One account for each configuration: its readers share one list of each project. */
function configuredAccount(): Account {
  const raw = settingsIn(runtime.allConfig());
  const key = JSON.stringify([raw, Object.values(configEnvironment).map((variable) => process.env[variable])]);
  const account = accounts.get(key) ?? openAccountFrom(raw, process.env, (message) => void log.warn(message));
  accounts.set(key, account);
  return account;
}
