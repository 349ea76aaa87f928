/**
 * How far somebody else's doing between preview and up reaches. No process is told what the preview has said, so up plans anew from
 * what it finds: the resources bound for a branch that was touched may be planned otherwise; and what leaves or reaches a branch
 * otherwise than was said has touched that one for whoever else is bound for it.
 */
import type { Change } from "./stack";

/** What a resource was to do in the preview, and did in up; absent where it came to nothing. */
export interface Planned {
  name: string;
  said: Change | undefined;
  done: Change | undefined;
  from: string | undefined;
  to: string | undefined;
  /** True where its own endpoint was moved, changed or deleted. */
  isMeddled: boolean;
}

/** The names of the resources that may be planned otherwise. */
export function reachOf(all: readonly Planned[], touched: Iterable<string>): ReadonlySet<string> {
  const branches = new Set(touched);
  const reached = new Set(all.filter(({ isMeddled }) => isMeddled));
  const spread = ({ said, done, from, to }: Planned) => {
    if (done === undefined || done === said) return;
    for (const branch of [from, to]) if (branch !== undefined) branches.add(branch);
  };
  for (const one of reached) spread(one);
  // Whatever is added meanwhile has its turn.
  for (const branch of branches) {
    for (const one of all) {
      if ((one.to ?? one.from) !== branch) continue;
      reached.add(one);
      spread(one);
    }
  }
  return new Set([...reached].map(({ name }) => name));
}
