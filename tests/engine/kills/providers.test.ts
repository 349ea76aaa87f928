import { describe, it } from "vitest";
import { useBench } from "../support/platform";
import { play } from "./support/interrupted-runs";
import { interruptedPlugin, killedProviders } from "./support/victims";

const bench = useBench();

describe("a provider's process that is killed or interrupted in the middle of a run", () => {
  it.each([...killedProviders, interruptedPlugin])(
    "loses nothing when $title",
    (victim) => play(bench, victim),
    300_000,
  );
});
