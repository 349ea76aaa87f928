import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { casesOf, play } from "./cases";
import { openPlaces, type Places } from "./places";
import { ways } from "./ways";

let places: Places;
beforeAll(async () => {
  places = await openPlaces();
});
afterAll(() => places.close());

/** A platform that the configuration names, and another that the environment does. */
function named(key: string, way: string) {
  const project = `whole-${key}-${way}`;
  const host = `${project}.platform.test`;
  const env = {
    PGCOMPUTE_API_KEY: "napi_of_the_environment",
    PGCOMPUTE_BASE_URL: "https://elsewhere.test/api/v2",
    NODE_EXTRA_CA_CERTS: places.authority,
    HTTPS_PROXY: `http://127.0.0.1:${places.proxyPort}`,
  };
  const asked = () => places.tunnels.some(({ target }) => target.startsWith(host));
  return { project, env, baseUrl: `https://${host}/api/v2`, asked };
}

describe.concurrent.each(ways)(
  "an address that the configuration names, by the $name, has",
  ({ name, read, isCommand = false }) => {
    // An option is the word of whoever gives the key.
    it(
      isCommand ? "the environment's key" : "the environment's key only where the environment names it, too",
      async () => {
        const { project, env, baseUrl, asked } = named("m", name);
        const { ok, text } = await read(project, env, { baseUrl });
        expect([ok, asked()]).toEqual([isCommand, isCommand]);
        const refusal =
          /PGCOMPUTE_API_KEY and this address from the configuration.*PGCOMPUTE_BASE_URL=ADDRESS beside the key/;
        if (!isCommand) expect(text).toMatch(refusal);
        const spelled = { ...env, PGCOMPUTE_BASE_URL: `${baseUrl.toUpperCase().replace("/API/V2", ":443/api/v2")}/` };
        expect(await read(project, spelled, { baseUrl })).toMatchObject({ ok: true });
        expect(asked()).toBe(true);
      },
    );

    it("a key that is configured with it", async () => {
      const { project, env, baseUrl, asked } = named("n", name);
      expect(await read(project, env, { baseUrl, apiKey: "napi_of_its_own" })).toMatchObject({ ok: true });
      expect(asked()).toBe(true);
    });
  },
);

describe.concurrent.each(ways)("the platform, reached by the $name, through", (way) => {
  it.each(casesOf(way.name))("$name", (each) => play(way, each, places));
});
