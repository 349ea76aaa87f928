import { describe, it } from "vitest";
import { useBench } from "../support/platform";
import { play } from "./support/interrupted-runs";
import { killedEngines } from "./support/victims";

const bench = useBench();

describe("an engine that is killed in the middle of a run", () => {
  it.each(killedEngines)("loses nothing when $title", (victim) => play(bench, victim), 300_000);
});
