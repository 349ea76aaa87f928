import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtIn, cases, play } from "./cases";
import { openPlaces, type Places } from "./places";
import { ways } from "./ways";

let places: Places;
beforeAll(async () => {
  places = await openPlaces();
});
afterAll(() => places.close());

describe.concurrent.each(ways)(
  "an address that the configuration names, by the $name, has",
  ({ name, read, isCommand }) => {
    const at = (key: string) => {
      const project = `whole-${key}-${name}`;
      const [host, proxy] = [`${project}.platform.test`, `http://127.0.0.1:${places.proxyPort}`];
      const env = {
        PGCOMPUTE_API_KEY: "napi_of_the_environment",
        NODE_EXTRA_CA_CERTS: places.authority,
        HTTPS_PROXY: proxy,
      };
      return {
        project,
        env,
        baseUrl: `https://${host}/api/v2`,
        asked: () => places.tunnels.some(({ target }) => target.startsWith(host)),
      };
    };

    // An option is the word of whoever gives the key.
    it(
      isCommand ? "the environment's key" : "the environment's key only where the environment names it, too",
      async () => {
        const { project, env, baseUrl, asked } = at("m");
        const elsewhere = { ...env, PGCOMPUTE_BASE_URL: "https://elsewhere.test/api/v2" };
        const { ok, text } = await read(project, elsewhere, { baseUrl });
        expect([ok, asked()]).toEqual([isCommand === true, isCommand === true]);
        if (!isCommand) {
          expect(text).toMatch(
            /PGCOMPUTE_API_KEY and this address from the configuration.*PGCOMPUTE_BASE_URL=ADDRESS beside the key/,
          );
        }
        const spelled = { ...env, PGCOMPUTE_BASE_URL: `${baseUrl.toUpperCase().replace("/API/V2", ":443/api/v2")}/` };
        expect(await read(project, spelled, { baseUrl })).toMatchObject({ ok: true });
        expect(asked()).toBe(true);
      },
    );

    it("a key that is configured with it", async () => {
      const { project, env, baseUrl, asked } = at("n");
      const elsewhere = { ...env, PGCOMPUTE_BASE_URL: "https://elsewhere.test/api/v2" };
      expect(await read(project, elsewhere, { baseUrl, apiKey: "napi_of_its_own" })).toMatchObject({ ok: true });
      expect(asked()).toBe(true);
    });
  },
);

describe.concurrent.each(ways)("the platform, reached by the $name, through", (way) => {
  it.each(way.name === "plugin" ? cases : builtIn)("$name", (each) => play(way, each, places));
});
