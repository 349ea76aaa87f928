import { execFileSync } from "node:child_process";

/** Whom the servers run as, where not as the emulator itself. */
export interface Account {
  uid: number;
  gid: number;
}

/** Postgres refuses to run as root: started by root, the servers run as `nobody`. Else `undefined`. */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}
