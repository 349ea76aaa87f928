/** Exit codes of `pgcompute`. They are part of its public interface. */
export const exitCodes = {
  /** Done, and well. */
  ok: 0,
  /** It could not be done, the plan has errors, or an operation ended badly. */
  failed: 1,
  /** The command line cannot be used. */
  usage: 2,
  /** `review`: the plan does what `--fail-on` names, or not as `--expect` has it. */
  gate: 3,
  /** Timed out before the operations had ended, or while the project was locked. */
  timeout: 4,
  /** `review --drift`: somebody changed endpoints outside the stack. */
  drift: 5,
  /** Interrupted by Ctrl-C. */
  interrupted: 130,
} as const;

/** A failure with a message for people and an exit code of its own; `failed` (1) by default. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}

/** The error of a command whose input cannot be read. */
export function unreadable(input: "plan" | "seal" | "state", reason: string, options?: ErrorOptions): CommandError {
  return new CommandError(`cannot read the ${input}: ${reason}`, exitCodes.failed, options);
}
