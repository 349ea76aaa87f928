/** What an endpoint's change comes to on the platform, by which what a preview says is held true. */
import { isMember } from "./names";
import type { Change } from "./stack";

/** Which endpoint a resource or a member had before an up, and has after it. */
export interface Ends {
  was: string | undefined;
  is: string | undefined;
  /** Whether an endpoint of before the up is still there; undefined for one that was not. */
  isThere(id: string): boolean | undefined;
}

type Truth = "create" | "adopt" | "stay" | "replace" | "delete" | "release" | "nothing";

/** True where up did what the preview said, and where that is what became of the endpoint. */
export function isTrue(name: string, { said, done }: { said: Change; done: Change | undefined }, ends: Ends): boolean {
  const truth = truthOf(ends);
  if (said !== done && !(done === "new" && (said === "create" || said === "adopt"))) return false;
  return allowed(name, said).includes(truth);
}

function truthOf({ was, is, isThere }: Ends): Truth {
  if (was === is) return was === undefined ? "nothing" : "stay";
  if (is === undefined) return isThere(String(was)) ? "release" : "delete";
  // What is gone before the run is nobody's any more.
  if (was === undefined || isThere(was) === undefined) return isThere(is) === undefined ? "create" : "adopt";
  return "replace";
}

/** Of a member a plan says exactly what becomes of it; the engine says no more of a resource than it knows. */
function allowed(name: string, said: Change): Truth[] {
  switch (said) {
    case "create":
      return isMember(name) ? ["create"] : ["create", "adopt"];
    case "new":
      return ["create", "adopt"];
    case "adopt":
    case "import":
      return ["adopt"];
    case "same":
    case "update":
      return ["stay"];
    case "replace":
      return ["replace", "create"];
    case "delete":
      return isMember(name) ? ["delete"] : ["delete", "release"];
    case "release":
      return ["release"];
    case "drop":
      return ["delete", "release"];
  }
}
