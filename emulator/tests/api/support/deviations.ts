/** Where the emulator's answers are not as the published description has them, and why. The list is to shrink. */

/** One known deviation. */
export interface KnownDeviation {
  name: string;
  /** What `deviationsOf` says of it. */
  pattern: RegExp;
}

/** Each is looked for by a test, so that none stays longer than it is needed. */
export const knownDeviations: readonly KnownDeviation[] = [
  {
    name: "`stopped` is a state of the specification (section 3.2); `disabledState: idle` does without",
    pattern: /^endpoints?\.(current|pending)_state: .*\("stopped"\)$/,
  },
  {
    name: "`delete_tenant` is an action of the specification (section 2.1)",
    pattern: /^operations?\.action: .*\("delete_tenant"\)$/,
  },
  {
    name: "pooler modes beside `transaction` are left open by the specification (section 2.3); `poolerModes` limits them",
    pattern: /^endpoints?\.pooler_mode: .*\("(session|statement)"\)$/,
  },
];

/** Without those that are known. */
export function unknownDeviations(found: readonly string[]): string[] {
  return found.filter((one) => !knownDeviations.some(({ pattern }) => pattern.test(one)));
}
