import { it } from "vitest";
import { useBench } from "../support/platform";
import { play } from "./support/interrupted-runs";
import { killedEngines, killedProviders } from "./support/victims";

const bench = useBench();

it.each([...killedProviders, ...killedEngines])(
  "nothing is lost when $title in the middle of a run",
  (victim) => play(bench, victim),
  300_000,
);
