import type { OperationWork } from "../model/computes";
import type { Platform } from "../model/platform";

/** What a real compute does for an operation, as far as it has come. */
export interface Work {
  ended: boolean;
  /** Why it could not be done; `undefined` where it was, or is not yet. */
  refusal: string | undefined;
  /** Called once it has ended, where somebody waits for that. */
  onEnd: (() => void) | undefined;
}

/** Has the real computes begin with an operation's work; `undefined` where there are none. */
export function beginWork({ computes, projects }: Platform, task: OperationWork): Work | undefined {
  if (!computes) return undefined;
  const { project } = task;
  const work: Work = { ended: false, refusal: undefined, onEnd: undefined };
  const end = (refusal?: string) => {
    work.ended = true;
    work.refusal = refusal;
    // After a reset there is nobody left who waits for it.
    if (projects.get(project.record.id) === project) work.onEnd?.();
  };
  computes
    .run(task)
    .then(() => end())
    .catch((error: unknown) => end(error instanceof Error ? error.message : String(error)));
  return work;
}
