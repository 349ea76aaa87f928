import type { Api } from "../../provider/platform/api";

/** What of a client is no request. */
const noRequests = new Set<string | symbol>(["close", "platformNow", "platformTime", "waitingFor", "withoutKey"]);

/** When a process dies: at its nth call, before it is sent or after it was answered. Counted from 1. */
export interface Death {
  call: number;
  moment: "before" | "after";
}

/** An API client whose process can die. */
export interface MortalApi {
  api: Api;
  /** Resolves when the process has died; no call of it goes on from there. */
  died: Promise<"died">;
}

/**
 * Wraps a client so that `onCall` gets each call's number and name as it begins, and the process dies at a given call,
 * as by SIGKILL: that call and later ones never return, while requests already sent are still performed.
 */
export function createMortalApi(
  api: Api,
  death: Death | undefined,
  onCall: (call: number, name: string) => void = () => {},
): MortalApi {
  let calls = 0;
  let dead = false;
  let die: (how: "died") => void = () => {};
  const died = new Promise<"died">((resolve) => {
    die = resolve;
  });
  const never = new Promise<never>(() => {});
  const make = async (name: string, work: () => unknown): Promise<unknown> => {
    calls += 1;
    onCall(calls, name);
    const last = death !== undefined && calls === death.call;
    if (last && death.moment === "before") {
      dead = true;
      die("died");
    }
    if (dead) return never;
    const [answer] = await Promise.allSettled([(async () => work())()]);
    if (last) {
      dead = true;
      die("died");
    }
    if (dead) return never;
    if (answer.status === "rejected") throw answer.reason;
    return answer.value;
  };
  const wrapped = new Proxy(api, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      // What is no request is answered by the process itself, as long as anything of it runs.
      if (typeof member !== "function" || noRequests.has(property)) return member;
      const name = String(property);
      if (property !== "operationPages" && property !== "branchPages")
        return (...args: unknown[]) => make(name, () => Reflect.apply(member, target, args));
      // Each page is a call.
      return async function* (...args: unknown[]) {
        const pages: AsyncGenerator = Reflect.apply(member, target, args);
        for (;;) {
          const page = (await make(name, () => pages.next())) as IteratorResult<unknown>;
          if (page.done) return;
          yield page.value;
        }
      };
    },
  });
  return { api: wrapped, died };
}
