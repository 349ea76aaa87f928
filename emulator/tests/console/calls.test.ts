import { request } from "node:http";
import { describe, expect, it } from "vitest";
import type { Emulator } from "../../index";
import { openEmulator, shows, useBrowser } from "./support/open-console";

const open = useBrowser();

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

// fetch does not let a caller choose the Host header.
function ask(emulator: Emulator, method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request({ port: emulator.port, host: "127.0.0.1", method, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (data: string) => {
        text += data;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    call.on("error", reject).end();
  });
}

const connect = "/_console/endpoints/ep-quiet-harbor-main/connect";

describe("what the console is made of", () => {
  it("comes from the emulator alone, under a strict policy", async () => {
    const emulator = await openEmulator();
    const { headers, text } = await ask(emulator, "GET", "/");
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);

    const loaded = [...text.matchAll(/(?:src|href)="([^"#]+)"/g)].map((match) => match[1] ?? "");
    const files = new Set<string>();
    for (let file = loaded.pop(); file !== undefined; file = loaded.pop()) {
      if (files.has(file)) continue;
      files.add(file);
      expect(file).toMatch(/^\/_console\/[a-z]+\.(css|js|svg)$/);
      const answer = await ask(emulator, "GET", file);
      expect(answer.status).toBe(200);
      expect(answer.headers["content-security-policy"]).toBe(policy);
      const named = [...answer.text.matchAll(/(?:from "\.|url\("\/_console)(\/[^"]+)"/g)];
      loaded.push(...named.map((match) => `/_console${match[1]}`));
    }
    expect(files.size).toBe(14);
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
    ["GET", connect, 404],
    ["GET", "/_console/view?page=x&filter=y&before=-1&typo=1", 200],
    ["GET", "/_console/view?project=none", 200],
    ["GET", "/_console/view?page=999", 200],
  ])("answers %s %s with %i", async (method, path, status) => {
    const emulator = await openEmulator();
    expect((await ask(emulator, method, path)).status).toBe(status);
  });

  it("stays small, however large the platform is", async () => {
    const emulator = await openEmulator();
    emulator.admin.seedFleet(emulator.projectId, { count: 5000 });
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", count: 5000 });
    const { text } = await ask(emulator, "GET", "/_console/view");
    expect(text.length).toBeLessThan(40_000);
    expect(JSON.parse(text).project).toMatchObject({
      endpoints: { found: 5001, pages: 101, counts: { all: 5001, idle: 5001 } },
      operations: { open: 5000 },
    });
  });
});

describe("the guard of the console's calls", () => {
  it.each([
    [{ host: "evil.test" }, 403],
    [{ origin: "https://evil.test" }, 403],
    [{ origin: "null" }, 403],
    [{ host: "localhost:80", origin: "http://127.0.0.1:80" }, 403],
    [{ host: "localhost:80", origin: "http://localhost:81" }, 403],
    [{ host: "localhost:80", origin: "http://localhost:80" }, 200],
  ])("answers %j on loopback with %i", async (headers, status) => {
    const emulator = await openEmulator();
    expect((await ask(emulator, "GET", "/_console/view", headers)).status).toBe(status);
    expect((await ask(emulator, "POST", connect, headers)).status).toBe(status);
    expect(emulator.admin.endpoint(emulator.endpointId).pending_state).toBe(status === 200 ? "active" : undefined);
  });

  it("takes no body, so that no form of a page gets in", async () => {
    const emulator = await openEmulator();
    const forms = ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"];
    for (const type of forms) {
      const url = new URL(connect, emulator.consoleUrl);
      const answer = await fetch(url, { method: "POST", headers: { "content-type": type }, body: "a=1" });
      expect([400, 415]).toContain(answer.status);
      expect(await answer.text()).not.toContain("required");
    }
    expect(emulator.admin.endpoint(emulator.endpointId).pending_state).toBeUndefined();
  });

  it("asks for the key when the emulator listens on more than loopback", async () => {
    const emulator = await openEmulator({ host: "0.0.0.0", apiKey: "KEY" });
    expect((await ask(emulator, "GET", "/_console/view")).status).toBe(401);
    expect((await ask(emulator, "POST", connect)).status).toBe(401);
    expect((await ask(emulator, "GET", "/")).text).not.toContain("KEY");

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
});
