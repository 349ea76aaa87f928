import { afterEach, describe, expect, it } from "vitest";
import { createApi } from "../../../provider/platform/client";
import { answer, type RawServer, serve } from "./support/raw-server";

let server: RawServer | undefined;
afterEach(() => server?.close());

describe("clients that come and go", () => {
  it("use no more connections than the pool's bound", async () => {
    const waiting: (() => void)[] = [];
    let most = 0;
    const running = await serve((_, response) => {
      most = Math.max(most, running.sockets.size);
      waiting.push(() => answer(response, 200, { endpoints: [] }));
      if (waiting.length === 4) for (const each of waiting.splice(0)) each();
    });
    server = running;
    const api = createApi({ baseUrl: running.baseUrl, apiKey: "the-key" });
    await Promise.all(Array.from({ length: 400 }, () => api.listEndpoints("p-one")));
    expect(most).toBeLessThanOrEqual(64);
    await api.close();
  });
});
