import { afterAll, beforeAll, describe, it } from "vitest";
import { cases, play } from "./cases";
import { openPlaces, type Places } from "./places";
import { ways } from "./ways";

let places: Places;
beforeAll(async () => {
  places = await openPlaces();
});
afterAll(() => places.close());

describe.each(ways)("the platform, reached by the $name, through", (way) => {
  it.concurrent.each(cases)("$name", (each) => play(way, each, places));
});
