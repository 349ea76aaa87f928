/**
 * Replacements that the engine plans without a Diff, for an option such as `replacementTrigger`: it also takes no word of the provider
 * for whether the old endpoint is deleted first, and tells none.
 */
import { isSameBranch } from "../endpoint/identity";
import type { LifecycleContext } from "./context";

/** What such a replacement does, and what it needs; undefined for any other plan. */
export function replacedWithoutDiffMessage(context: LifecycleContext): string | undefined {
  const { run, urn } = context;
  if (urn === undefined || run.record(urn).isReplaced !== true || run.record(urn).isCompared) return undefined;
  const what =
    "replaced: an option of the program asks for it (such as replacementTrigger or replaceWith); open connections are dropped, and " +
    "the host name changes";
  if (!staysWithoutDiff(context)) return what;
  return `${what}. Its branch has at most one read-write endpoint, so this takes the option \`deleteBeforeReplace: true\` as well`;
}

/** True for a read-write endpoint that is replaced so where it stands: a new one can come only after the old one has gone. */
export function staysWithoutDiff({ run, urn }: LifecycleContext): boolean {
  const { from, to } = run.claims.of(urn) ?? {};
  if (urn === undefined || run.record(urn).wasThere !== true || run.record(urn).isCompared) return false;
  return isSameBranch(from, to) && from?.type === "read_write" && to?.type === "read_write";
}
