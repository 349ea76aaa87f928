import { afterEach, describe, expect, it } from "vitest";
import { createApi } from "../../../provider/platform/client";
import { wireEndpoint } from "../../support/samples";
import { answer, type RawServer, serve } from "./support/raw-server";

let server: RawServer | undefined;
afterEach(() => server?.close());

describe("clients that come and go", () => {
  it("leave no socket, no timer and no request behind", async () => {
    const running = await serve((_, response, index) => {
      if (index % 5 === 4) response.socket?.destroy();
      else answer(response, 200, { endpoints: [wireEndpoint()] });
    });
    server = running;
    const before = resources();
    for (let round = 0; round < 20; round++) {
      const api = createApi({ baseUrl: running.baseUrl, apiKey: "the-key", random: () => 0 });
      await Promise.all(Array.from({ length: 25 }, () => api.listEndpoints("p-one").catch(() => [])));
      await api.close();
    }
    await until(() => running.sockets.size === 0);
    expect(resources()).toBeLessThanOrEqual(before);
  });

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

/** Timers and sockets that keep the process alive. */
function resources(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout" || name === "TCPSocketWrap").length;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
