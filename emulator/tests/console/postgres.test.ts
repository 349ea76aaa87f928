import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { openEmulator, row, shows, useBrowser } from "./support/open-console";

const open = useBrowser();

describe("an endpoint that is a Postgres server", () => {
  it("has its clients, a button that ends them, and one that copies where to connect", async () => {
    const emulator = await openEmulator({ postgres: true, clock: "real", operationMs: 0 });
    const id = emulator.endpointId;
    const { url } = emulator.admin.connectionStrings(id);
    const { page } = await open(emulator.consoleUrl, { permissions: ["clipboard-read", "clipboard-write"] });
    const button = (name: string) => row(page, id).getByRole("button", { name: `${name} ${id}`, exact: true });
    await button("Copy connection string").click();
    await page.locator("#message", { hasText: `copied ${url}` }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(url);
    expect(await button("Connect").count()).toBe(0);

    const client = new pg.Client({ connectionString: url, application_name: "shop" });
    client.on("error", () => undefined);
    const gone = new Promise<void>((resolve) => client.on("end", resolve));
    onTestFinished(() => client.end());
    await client.connect();
    await shows(page, id, /Active.*1 of 112.*postgres \(shop\): idle, since \d{4}-\d\d-\d\d/s);
    await client.query("BEGIN");
    await shows(page, id, /idle in transaction/);
    await button("Disconnect").click();
    await gone;
    await shows(page, id, /0 of 112/);
    expect(await row(page, id).textContent()).not.toContain("shop");
  });

  it("shows each of two clients that look the same once, however often the page asks", async () => {
    const emulator = await openEmulator({ postgres: true, operationMs: 0 });
    const { endpointId } = emulator;
    const { url } = emulator.admin.connectionStrings(endpointId);
    const { page } = await open(emulator.consoleUrl);
    const clients = [0, 1].map(() => new pg.Client({ connectionString: url, application_name: "shop" }));
    for (const client of clients) {
      onTestFinished(() => client.end());
      await client.connect();
    }
    const shown = row(page, endpointId).locator("[data-cell=sessions] > li");
    await shows(page, endpointId, /(postgres \(shop\): idle, since .*){2}/s);
    await clients[0]?.query("BEGIN");
    await shown.filter({ hasText: "idle in transaction" }).waitFor();
    expect(await shown.count()).toBe(2);
  });
});
