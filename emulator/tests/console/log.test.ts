import { describe, expect, it } from "vitest";
import { openEmulator } from "../api/support/open-emulator";
import { useBrowser } from "./support/open-console";

const open = useBrowser();

describe("the console's log of calls", () => {
  it("shows each call with its answer, the latest first, and why one was refused", async () => {
    const emulator = await openEmulator();
    const { page } = await open(emulator.consoleUrl);
    await page.getByText("None so far", { exact: true }).waitFor();
    await emulator.call("GET", "{p}/endpoints");
    await emulator.call("DELETE", "{p}/endpoints/ep-nowhere");
    emulator.admin.addFault({ route: "branches.list", effect: { kind: "status", status: 503 } });
    await emulator.call("GET", "{p}/branches?limit=3");

    const rows = page.locator("#call-rows > tr");
    await rows.nth(2).waitFor();
    const texts = (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
    expect(texts[0]).toMatch(/^GET \/projects\/quiet-harbor-12345678\/branches\?limit=3 .*fault: status 503 /);
    expect(texts[1]).toMatch(
      /^DELETE \/projects\/\S+\/endpoints\/ep-nowhere .*ep-nowhere.* not found 404 \d+ ms 2024-05-01/,
    );
    expect(texts[2]).toMatch(/^GET \/projects\/\S+\/endpoints 200 /);
    expect(await rows.nth(1).locator(".status").getAttribute("data-mood")).toBe("bad");
  });

  it("is as short after a thousand calls", async () => {
    const emulator = await openEmulator();
    const { page } = await open(emulator.consoleUrl);
    for (let count = 0; count < 1_000; count += 1) await emulator.call("GET", "{p}");
    await page.getByText("the latest 25 of 1,000", { exact: true }).waitFor();
    expect(await page.locator("#call-rows > tr").count()).toBe(25);
  });
});

it("has the lines that point a stack at it, to copy", async () => {
  const emulator = await openEmulator();
  const { page } = await open(emulator.consoleUrl, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByRole("button", { name: "Copy" }).click();
  await page.locator("#message-text").filter({ hasText: "The lines are copied." }).waitFor();
  const copied = String(await page.evaluate("navigator.clipboard.readText()"));
  expect(copied.split("\n")).toEqual([
    `pulumi config set pgcompute:baseUrl ${emulator.url}`,
    `pulumi config set --secret pgcompute:apiKey ${emulator.apiKey}`,
    `pulumi config set projectId ${emulator.projectId}`,
  ]);
});
