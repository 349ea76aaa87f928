import { describe, expect, it } from "vitest";
import { openEmulator } from "../api/support/open-emulator";
import { row, shows, useBrowser } from "./support/open-console";

const open = useBrowser();

describe("the buttons of an endpoint", () => {
  it("wake it by a connection, hold that, and let it go", async () => {
    const emulator = await openEmulator();
    const id = emulator.endpointId;
    const { page } = await open(emulator.consoleUrl);
    const button = (name: string) => row(page, id).getByRole("button", { name: `${name} ${id}`, exact: true });
    await button("Connect").click();
    await page
      .locator("#message", { hasText: "The connection wakes the endpoint: start_compute is scheduling." })
      .waitFor();
    await shows(page, id, /Idle\s+starting.*1 waiting/s);
    emulator.admin.advance(1000);
    await shows(page, id, /Active.*1 of 112/s);
    await button("Connect").click();
    await shows(page, id, /2 of 112/);
    await button("Disconnect").click();
    await shows(page, id, /0 of 112/);
    expect(emulator.admin.endpoint(id)).toMatchObject({ connections: 0, current_state: "active" });
    expect(await button("Disconnect").isDisabled()).toBe(true);
  });

  it("suspend it and start it, by the keyboard, which stays where it is", async () => {
    const emulator = await openEmulator();
    const { projectId } = emulator;
    const { page } = await open(emulator.consoleUrl);
    const id = emulator.endpointId;
    const button = (name: string) => row(page, id).getByRole("button", { name: `${name} ${id}`, exact: true });
    await button("Start").focus();
    await page.keyboard.press("Enter");
    await shows(page, id, /starting/);
    emulator.admin.advance(1000);
    await shows(page, id, /Active/);
    await expect.poll(() => button("Start").isDisabled()).toBe(true);
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe(`Start ${id}`);

    const before = emulator.admin.project(projectId).operations.length;
    await page.keyboard.press("Enter"); // it runs: this does nothing
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await shows(page, id, /Active\s+suspending/);
    expect(emulator.admin.project(projectId).operations).toHaveLength(before + 1);
    emulator.admin.advance(1000);
    await shows(page, id, /Idle/);
    expect(emulator.admin.project(projectId).operations.map(({ action }) => action)).toEqual([
      "suspend_compute",
      "start_compute",
      "create_timeline",
    ]);
  });

  it("tell why the platform refuses, until that is closed", async () => {
    const emulator = await openEmulator();
    const id = emulator.endpointId;
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", endpointId: id });
    const { page, takeErrors } = await open(emulator.consoleUrl);
    await row(page, id).getByRole("button", { name: "Start" }).click();
    await page.locator("#message", { hasText: `${id} is busy: operation` }).waitFor();
    expect(await page.getByRole("status").innerText()).toContain("wait until it has ended");
    expect(takeErrors()).toEqual([expect.stringContaining("423")]);
    await page.getByRole("button", { name: "Close" }).click();
    expect(await page.locator("#message").isVisible()).toBe(false);
    expect(emulator.admin.endpoint(id).current_state).toBe("idle");
  });

  it("are no calls of the API, and neither is the watching", async () => {
    const emulator = await openEmulator({ rateLimit: { perMinute: 1 } });
    emulator.admin.addFault({ effect: { kind: "reset" } });
    const { page } = await open(emulator.consoleUrl);
    await row(page, emulator.endpointId)
      .getByRole("button", { name: /^Connect/ })
      .click();
    await shows(page, emulator.endpointId, /1 waiting/);
    expect(emulator.admin.counts()).toEqual({ total: 0, byRoute: {}, byStatus: {} });
    expect(emulator.admin.faults()).toMatchObject([{ matched: 0 }]);
  });
});
