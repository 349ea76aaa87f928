import { it } from "vitest";
import { useBench } from "../support/platform";
import { play } from "./support/interrupted-runs";
import { killed } from "./support/victims";

const bench = useBench();

it.each([killed.plugin, killed.launcher])(
  "nothing is lost when $title in the middle of a run",
  (victim) => play(bench, victim),
  300_000,
);
