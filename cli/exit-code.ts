/** Exit codes of `pgcompute`, part of its public interface. */
export const exitCodes = {
  /** Success. */
  ok: 0,
  /** The command failed, the plan has errors, or an operation failed. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** `review`: the plan meets a `--fail-on` condition, or differs from the `--expect` seal. */
  gate: 3,
  /** The timeout passed before the operations ended, or while the project was locked. */
  timeout: 4,
  /** `review --drift`: somebody changed endpoints outside the stack. */
  drift: 5,
  /** Interrupted by Ctrl-C. */
  interrupted: 130,
} as const;

/** A failure with a message for people and an exit code; `failed` (1) by default. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}

/** The error of a command with unreadable input. */
export function unreadable(input: "plan" | "seal" | "state", reason: string, options?: ErrorOptions): CommandError {
  return new CommandError(`cannot read the ${input}: ${reason}`, exitCodes.failed, options);
}
