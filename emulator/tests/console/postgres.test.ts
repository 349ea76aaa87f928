import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { openEmulator } from "../api/support/open-emulator";
import { row, shows, useBrowser } from "./support/open-console";

const open = useBrowser();

describe("an endpoint that is a Postgres server", () => {
  it("has its clients, each once, a button that ends them, and one that copies where to connect", async () => {
    // Its clock stands, so that two clients have come at the same time and look the same.
    const emulator = await openEmulator({ postgres: true, operationMs: 0 });
    const id = emulator.endpointId;
    const { url } = emulator.admin.connectionStrings(id);
    const { page } = await open(emulator.consoleUrl, { permissions: ["clipboard-read", "clipboard-write"] });
    const button = (name: string) => row(page, id).getByRole("button", { name: `${name} ${id}`, exact: true });
    await button("Copy connection string").click();
    await page.locator("#message", { hasText: `copied ${url}` }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(url);
    expect(await button("Connect").count()).toBe(0);

    const clients = [0, 1].map(() => new pg.Client({ connectionString: url, application_name: "shop" }));
    const gone = clients.map((client) => new Promise<void>((resolve) => client.on("end", resolve)));
    for (const client of clients) {
      client.on("error", () => undefined);
      onTestFinished(() => client.end());
      await client.connect();
    }
    await shows(page, id, /Active.*2 of 112(.*postgres \(shop\): idle, since \d{4}-\d\d-\d\d){2}/s);
    await clients[0]?.query("BEGIN");
    const shown = row(page, id).locator("[data-cell=sessions] > li");
    await shown.filter({ hasText: "idle in transaction" }).waitFor();
    expect(await shown.count()).toBe(2);
    await button("Disconnect").click();
    await Promise.all(gone);
    await shows(page, id, /0 of 112/);
    expect(await row(page, id).textContent()).not.toContain("shop");
  });
});
