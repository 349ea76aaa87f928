import { describe, expect, it } from "vitest";
import { resolveOptions } from "../../settings/options";
import { openEmulator } from "./support/open-emulator";

// Specification, section 5.
describe("authentication", () => {
  it.each([
    ["no header", {}],
    ["a wrong key", { authorization: "Bearer wrong" }],
    ["the right key with another scheme", { authorization: "Basic KEY" }],
    ["the key alone", { authorization: "KEY" }],
    ["the key with something behind it", { authorization: "Bearer KEY x" }],
    ["an empty key", { authorization: "Bearer " }],
  ])("refuses %s with 401 and the error body", async (_name, headers: Record<string, string>) => {
    const emulator = await openEmulator({ apiKey: "KEY" });
    const answer = await emulator.call("GET", "{p}/endpoints", { headers });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      code: "",
      message: expect.stringContaining("API key"),
      request_id: expect.any(String),
    });
  });

  it("takes the key in any letter case of the scheme", async () => {
    const emulator = await openEmulator({ apiKey: "KEY" });
    expect((await emulator.call("GET", "{p}", { headers: { authorization: "bearer KEY" } })).status).toBe(200);
  });

  it("asks for the key even where there is no call", async () => {
    const emulator = await openEmulator();
    expect((await emulator.call("GET", "/nothing", { headers: {} })).status).toBe(401);
    expect((await emulator.call("GET", "/nothing")).status).toBe(404);
  });

  it("does nothing for a caller without a key", async () => {
    const emulator = await openEmulator();
    const path = `{p}/endpoints/${emulator.endpointId}/start`;
    await emulator.call("POST", path, { headers: {} });
    expect(emulator.admin.endpoint(emulator.endpointId).pending_state).toBeUndefined();
  });

  it("has a random key where others may call, or where it has servers", () => {
    const keys = [{ host: "0.0.0.0" }, { postgres: true }, {}].map((options) => resolveOptions(options).apiKey);
    expect(keys).toEqual([
      expect.stringMatching(/^emulated-[0-9a-f]{24}$/),
      expect.stringMatching(/^emulated-[0-9a-f]{24}$/),
      "emulated-key",
    ]);
  });

  it("refuses a key that no header could carry", async () => {
    await expect(openEmulator({ apiKey: "two words" })).rejects.toThrow(RangeError);
  });

  it("keeps the key out of its log", async () => {
    const emulator = await openEmulator({ apiKey: "very-secret" });
    await emulator.call("GET", "{p}");
    expect(JSON.stringify(emulator.admin.log())).not.toContain("very-secret");
  });
});
