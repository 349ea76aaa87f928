import { cleanText } from "../../provider/lib/redact";
import type { Sink } from "../shell";
import { USUAL_COLUMNS } from "./table";

/** Margin: on some terminals a line up to the last column starts another. */
const MARGIN = 2;
const CLEAR_LINE = "\r\u001b[K";

/** Opens a progress display: one overwritten line on a terminal, a line per change elsewhere. */
export function openProgress(sink: Sink) {
  const said = new Map<string, string>();
  let drawn = false;
  const draw = (line: string) => {
    if (!sink.isTerminal) return;
    drawn = true;
    const most = Math.max(1, (sink.columns?.() || USUAL_COLUMNS) - MARGIN);
    sink.write(`${CLEAR_LINE}${cleanText(line, most)}`);
  };

  return {
    /** Redraws values that change with time, such as elapsed seconds; on a terminal only. */
    tick: draw,
    /** Sets the line of one task. A terminal also shows the time since `since`. */
    show(key: string, line: string, since?: string) {
      const isNews = said.get(key) !== line;
      said.set(key, line);
      draw(
        [line, ...(since === undefined ? [] : [since]), ...(said.size > 1 ? [`one of ${said.size}`] : [])].join(", "),
      );
      if (isNews && !sink.isTerminal) {
        sink.write(`${cleanText(line)}\n`);
      }
    },
    /** Removes the line. */
    end() {
      if (drawn) sink.write(CLEAR_LINE);
      drawn = false;
    },
  };
}
