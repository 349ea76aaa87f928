import { it } from "vitest";
import { useBench } from "../support/platform";
import { play } from "./support/interrupted-runs";
import { interrupted } from "./support/victims";

const bench = useBench();

it.each(interrupted)(
  "an engine that is interrupted in the middle of a run loses nothing when $title",
  (victim) => play(bench, victim),
  300_000,
);
