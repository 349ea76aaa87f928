import { describe, expect, it } from "vitest";
import { openEmulator } from "../api/support/open-emulator";
import { row, shows, useBrowser } from "./support/open-console";

const open = useBrowser();
const setHidden = (hidden: boolean) =>
  `Object.defineProperty(document, "hidden", { configurable: true, value: ${hidden} });
   document.dispatchEvent(new Event("visibilitychange"));`;

describe("the console, watching", () => {
  it("asks nothing while nobody looks, and at once when somebody does", async () => {
    const emulator = await openEmulator();
    const { page } = await open("about:blank");
    await page.clock.install({ time: 0 });
    await page.goto(emulator.consoleUrl);
    await shows(page, emulator.endpointId, /Idle/);
    await page.clock.pauseAt(60_000);
    let asked = 0;
    page.on("request", () => asked++);
    await page.evaluate(setHidden(true));
    await page.clock.runFor(3_600_000);
    expect(asked).toBe(0);

    emulator.admin.connect({ endpointId: emulator.endpointId });
    await page.evaluate(setHidden(false));
    await shows(page, emulator.endpointId, /starting/);
    expect(asked).toBe(1);
    emulator.admin.advance(1000);
    await page.clock.runFor(1000);
    await shows(page, emulator.endpointId, /Active(?!.*starting)/s);
  });

  it("says when the emulator is away, and goes on when it is back", async () => {
    const emulator = await openEmulator();
    const { page, takeErrors } = await open(emulator.consoleUrl);
    await shows(page, emulator.endpointId, /Idle/);
    await emulator.admin.refuseConnections();
    await page.getByText("No connection, trying again").waitFor();
    await emulator.admin.acceptConnections();
    emulator.admin.changeEndpoint(emulator.endpointId, { suspend_timeout_seconds: -1 });
    await shows(page, emulator.endpointId, /autosuspend never/);
    await page.getByText("Live", { exact: true }).waitFor();
    expect(takeErrors().every((text) => /ERR_(CONNECTION|EMPTY|NETWORK)/.test(text))).toBe(true);
  });

  it("pages and searches through a thousand endpoints, and shows a page of them", async () => {
    const emulator = await openEmulator();
    const ids = emulator.admin.seedFleet(emulator.projectId, { count: 1000 });
    const [first = "", last = ""] = [ids[0], ids.at(-1)];
    const { page } = await open(emulator.consoleUrl);
    await page.getByText("Page 1 of 21, 1,001 rows").waitFor();
    expect(await page.locator("#endpoint-rows > tr").count()).toBe(50);
    expect(await page.locator("#endpoint-rows > tr").first().innerText()).toContain(emulator.endpointId);
    expect(await row(page, last).count()).toBe(1);
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Page 2 of 21").waitFor();
    await page.getByRole("button", { name: "Previous" }).click();
    await page.getByText("Page 1 of 21").waitFor();
    expect(new URL(page.url()).search).toBe("");

    await page.getByRole("searchbox").fill(first);
    await row(page, first).waitFor();
    expect(await page.locator("#endpoint-rows > tr").count()).toBe(1);
    await page.getByRole("searchbox").fill("no such thing");
    await page.getByText("Nothing matches.").waitFor();
    await page.getByRole("searchbox").fill("");
    for (const endpointId of ids) emulator.admin.connect({ endpointId });
    await page.getByRole("button", { name: "Changing 1,000" }).click();
    await page.getByText("Page 1 of 20, 1,000 rows").waitFor();
    emulator.admin.advance(1000);
    await page.getByText("Nothing matches.").waitFor();
    await page.getByRole("button", { name: "Active 1,000" }).click();
    await page.getByText("Page 1 of 20, 1,000 rows").waitFor();
  });

  it("goes back through the operations by the page", async () => {
    const emulator = await openEmulator({ operationMs: 0 });
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", count: 40 });
    const { page } = await open(emulator.consoleUrl);
    const rows = page.locator("#operation-rows > tr");
    await page.getByRole("button", { name: "Older" }).click();
    await rows.filter({ hasText: "create_timeline" }).waitFor();
    expect(await rows.count()).toBe(16);
    expect(await page.getByRole("button", { name: "Older" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Latest" }).click();
    await expect.poll(() => rows.count()).toBe(25);
  });
});
