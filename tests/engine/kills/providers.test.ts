import { describe, it } from "vitest";
import { useBench } from "../support/platform";
import { play } from "./support/interrupted-runs";
import { killedProviders } from "./support/victims";

const bench = useBench();

describe("a provider's process that is killed in the middle of a run", () => {
  it.each(killedProviders)("loses nothing when $title", (victim) => play(bench, victim), 300_000);
});
