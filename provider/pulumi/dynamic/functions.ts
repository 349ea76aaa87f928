/** The provider's functions for TypeScript programs: they run in the program's process, for its stack. */
import { log, RunError, runtime } from "@pulumi/pulumi";
import { configEnvironment } from "../../config/model";
import { parseId } from "../../endpoint/identity";
import { callFunction } from "../../functions/functions";
import type { FunctionArgs, FunctionName, FunctionResult } from "../../functions/model";
import { formatFailures } from "../../lib/failure";
import { sentences } from "../../lib/wording";
import type { Account } from "../../platform/account";
import { asOwnError, type ErrorKind, PgComputeError } from "../../platform/errors";
import type { Profile, ProfileName } from "../../platform/profiles/profile";
import { openAccountFrom, profileFrom, settingsIn, toldBy } from "../configuration";
import { messageFor } from "../messages/errors";
import { redactText } from "../secrets";
import type { Path } from "../values";

const INLINE =
  "an inline program's functions see the stack's configuration, and not envVars of the Automation API's workspace";

/** Accounts by configuration: one process may run programs of several stacks. */
const accounts = new Map<string, Account>();

/** A function's failure. Uncaught, it ends the program with its message and no stack trace. */
export class FunctionError extends RunError {
  constructor(
    /** The kind, as in the reference of errors. */
    readonly kind: ErrorKind,
    message: string,
  ) {
    super(message);
    this.name = "FunctionError";
  }
}

/**
 * Runs a function in the program's process, or through the engine under mocks. Throws a `FunctionError` without a
 * cause.
 */
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
    const text = sentences([messageFor(error), opened === undefined && INLINE]);
    const message = redactText(text, { values: args, secrets });
    const stacks = { isStacks: true, env: process.env };
    throw new FunctionError(error.kind, opened ? toldBy(opened, message, stacks) : message);
  }
}

/** Reads an endpoint by the id of its resource, `PROJECT/ENDPOINT`. Throws as `invoke` does. */
export async function readEndpoint(id: string): Promise<FunctionResult<"getEndpoint">> {
  return invoke("getEndpoint", parseId(id));
}

/** True under a unit test's mocks, where no request may reach the platform. */
function isMocked(): boolean {
  const monitor = runtime.getMonitor();
  return monitor !== undefined && "mocks" in monitor;
}

async function run<N extends FunctionName>(
  account: Account,
  name: N,
  args: FunctionArgs<N>,
): Promise<FunctionResult<N>> {
  // Resources change in another process, so this process's snapshot may lack their changes.
  const { result, failures } = await callFunction(account, name, args, { sinceMs: account.clock.now() });
  if (!failures) return result;
  const reasons = formatFailures(failures);
  throw new PgComputeError("invalid_argument", `${name}: ${reasons}`);
}

/**
 * The platform of this name; without one, the stack's or the environment's. Throws a `FunctionError` if it is invalid.
 */
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

/** The account of the stack's configuration, opened once, so that its readers share each project's list. */
function configuredAccount(): Account {
  const raw = settingsIn(runtime.allConfig());
  const key = JSON.stringify([raw, Object.values(configEnvironment).map((variable) => process.env[variable])]);
  const account = accounts.get(key) ?? openAccountFrom(raw, process.env, (message) => void log.warn(message));
  accounts.set(key, account);
  return account;
}
