import pc from "picocolors";
import type { Shell, Sink } from "../shell";

/** Functions that colour a text, or leave it as it is. */
export type Paint = ReturnType<typeof pc.createColors>;

/** Colours for a terminal; none for a file or a pipe, with NO_COLOR, or on a terminal that says it has none. */
export function paintFor({ env }: Pick<Shell, "env">, { isTerminal }: Sink): Paint {
  const off = (env.NO_COLOR !== undefined && env.NO_COLOR !== "") || env.TERM === "dumb";
  return pc.createColors(isTerminal && !off);
}
