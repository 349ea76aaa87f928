import { describe, it } from "vitest";
import { useBench } from "../support/platform";
import { play } from "./support/interrupted-runs";
import { interruptedOnce, interruptedTwice } from "./support/victims";

const bench = useBench();

describe("an engine that is interrupted in the middle of a run", () => {
  it.each([...interruptedOnce, interruptedTwice])(
    "loses nothing when $title",
    (victim) => play(bench, victim),
    300_000,
  );
});
