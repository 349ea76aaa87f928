import { describe, expect, it } from "vitest";
import { openEmulator } from "../api/support/open-emulator";
import { shows, useBrowser } from "./support/open-console";

const open = useBrowser();

describe("what the console is made of", () => {
  it("comes from the emulator alone, under a strict policy", async () => {
    const { consoleUrl } = await openEmulator();
    const { headers } = await fetch(consoleUrl);
    const policy = headers.get("content-security-policy");
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": expect.stringMatching(/^default-src 'none';.*; frame-ancestors 'none'/),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);

    const loaded = ["/"];
    // What is found on the way comes at the end of the list.
    for (const file of loaded) {
      expect(file).toMatch(/^\/(_console\/[a-z]+\.(css|js|svg))?$/);
      const answer = await fetch(new URL(file, consoleUrl));
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-security-policy")).toBe(policy);
      const named = (await answer.text()).matchAll(/(?:src="|href="(?!#)|from "\.|url\(")(\/[^"]+)"/g);
      const files = [...named].map(([, name = ""]) => (name.startsWith("/_console") ? name : `/_console${name}`));
      loaded.push(...new Set(files.filter((name) => !loaded.includes(name))));
    }
    expect(loaded).toHaveLength(15);
  });

  it.each([
    `document.body.setAttribute("onclick", "document.title = 'broken in'")`,
    `document.body.innerHTML = "<b>broken in</b>"`,
    `document.createElement("script").src = "https://evil.test/"`,
  ])("lets no text become code: %s", async (attack) => {
    const emulator = await openEmulator();
    const { page, takeErrors } = await open(emulator.consoleUrl);
    await shows(page, emulator.endpointId, /Idle/);
    await expect(page.evaluate(attack)).rejects.toThrow(/requires 'Trusted/);
    expect(takeErrors()).toEqual([expect.stringContaining("requires 'Trusted")]);
  });

  it.each([
    ["GET", "/_console/nothing", 404],
    ["POST", "/_console/endpoints/ep-none/connect", 404],
    ["POST", "/_console/endpoints/ep-quiet-harbor-main/fly", 404],
    ["POST", "/_console/endpoints/ep-quiet-harbor-main/toString", 404],
    ["GET", "/_console/endpoints/ep-quiet-harbor-main/connect", 404],
    ["GET", "/_console/view?page=x&filter=y&before=-1&typo=1", 200],
    ["GET", "/_console/view?project=none", 200],
    ["GET", "/_console/view?page=999", 200],
  ])("answers %s %s with %i", async (method, path, status) => {
    const { consoleUrl } = await openEmulator();
    expect((await fetch(new URL(path, consoleUrl), { method })).status).toBe(status);
  });

  it("stays small, however large the platform is", async () => {
    const emulator = await openEmulator();
    emulator.admin.seedFleet(emulator.projectId, { count: 5000 });
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", count: 5000 });
    const text = await (await fetch(new URL("/_console/view", emulator.consoleUrl))).text();
    expect(text.length).toBeLessThan(40_000);
    expect(JSON.parse(text).project).toMatchObject({
      endpoints: { found: 5001, pages: 101, counts: { all: 5001, idle: 5001 } },
      operations: { open: 5000 },
    });
  });
});

// Who may make its calls at all is held, with the admin calls, in tests/api/admin-guard.test.ts.
it("asks for the key when the emulator listens on more than loopback", async () => {
  const emulator = await openEmulator({ host: "0.0.0.0", apiKey: "KEY" });
  expect(await (await fetch(emulator.consoleUrl)).text()).not.toContain("KEY");

  const { page, takeErrors } = await open(emulator.consoleUrl);
  await page.getByLabel("API key").fill("WRONG");
  await page.keyboard.press("Enter");
  await page.locator("#message", { hasText: "This is not the emulator's key or token." }).waitFor();
  expect(await page.locator("#project-view").isVisible()).toBe(false);
  await page.getByLabel("API key").fill("KEY");
  await page.keyboard.press("Enter");
  await shows(page, emulator.endpointId, /Idle/);
  expect(page.url()).not.toContain("KEY");
  await page.getByRole("button", { name: "Start" }).click();
  await shows(page, emulator.endpointId, /starting/);
  await page.reload();
  await shows(page, emulator.endpointId, /starting/);
  expect(takeErrors().every((text) => text.includes("401"))).toBe(true);
});
