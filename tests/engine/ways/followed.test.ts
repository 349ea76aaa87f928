/**
 * Follows each way of a refusal as it is printed, on the real engine, until a preview shows no change: in at most as
 * many runs as endpoints are concerned.
 */
import { expect, it } from "vitest";
import { hosts, pluginHost } from "../support/hosts";
import { useBench } from "../support/platform";
import { cases, concerned, openPlaces, withDependents } from "./cases";
import { follow } from "./follower";

const bench = useBench();

const ways = ["the first way", "the second way"] as const;

/** `PGCOMPUTE_WAYS=all` follows each case by each host, alone and with dependents: a quarter of an hour, by hand. */
const isWhole = process.env.PGCOMPUTE_WAYS === "all";

const rows = hosts.flatMap((host) =>
  Object.entries(cases).flatMap(([name, make]) =>
    ["alone", "that others wait for"].flatMap((what) =>
      ways.map((way) => [`${name}, ${what}, by ${way} of the ${host.name} host`, { host, make, way, what }] as const),
    ),
  ),
);
const usual = rows.filter(
  ([name, { host, what }]) => (host === pluginHost && what === "alone") || name.startsWith("a dropped occupant,"),
);

it.each(isWhole ? rows : usual)("%s", async (_, { host, make, way, what }) => {
  const plain = make(openPlaces(bench));
  if (plain.elsewhere) await bench.program(host).is(plain.elsewhere).up();
  const scene = what !== "alone" ? withDependents(bench, plain) : plain;
  const { runs, told, program, idsBefore } = await follow(bench, host, scene, way === "the first way" ? 0 : 1);
  expect(told, "nothing was refused").not.toEqual([]);
  expect(runs, told.join("\n")).toBeLessThanOrEqual(concerned(plain));
  const kept = way === "the second way" ? Object.entries(plain.renamed ?? {}) : [];
  for (const [now, was] of kept) expect(program.idOf(now)).toBe(idsBefore[was]);
});
