/** What nobody could mean, by the methods in process: JavaScript and a cast pass every type. */
import { describe, expect, it } from "vitest";
import { createEmulator, type EmulatorOptions, type Fault, type Settings } from "../../index";
import { openEmulator } from "./support/open-emulator";

describe("a rule that could never strike is refused", () => {
  it.each([
    [
      "an unknown field",
      { rout: "endpoints.create", effect: { kind: "reset" } },
      /^rout: unknown field; did you mean "route"\?$/,
    ],
    [
      "an unknown call",
      { route: "endpoint.create", effect: { kind: "reset" } },
      /^route: .*"endpoint\.create".*endpoints\.create/,
    ],
    ["no call of a group", { route: "endpoint.*", effect: { kind: "reset" } }, /^route: /],
    ["a path that takes long to match", { path: `*${"*a".repeat(600)}`, effect: { kind: "reset" } }, /^path: /],
    ["a call that this emulator has not", { route: "branches.restore", effect: { kind: "reset" } }, /^route: /],
  ])("%s", async (_, rule, reason) => {
    const { admin } = await openEmulator();
    expect(() => admin.addFault(rule as Fault)).toThrow(reason);
    expect(admin.faults()).toEqual([]);
  });

  it.each(["*", "endpoints.*", "operations.get", "organizations.list", "unknown"])("but not %s", async (route) => {
    const { admin } = await openEmulator();
    expect(admin.addFault({ route, effect: { kind: "reset" } })).toBe("fault-1");
  });
});

describe("a wrong value is refused", () => {
  it.each([
    [{ operationms: 5 }, 'operationms: unknown field; did you mean "operationMs"?'],
    [{ velocity: 5 }, /velocity: unknown field$/],
    [{ lock: "projects" }, "lock: "],
    [{ operationMs: "5" }, "operationMs: "],
    [{ rateLimit: { perHour: 1 } }, /rateLimit.perHour: unknown field$/],
    [{ rateLimit: { perMinut: 1 } }, 'rateLimit.perMinut: unknown field; did you mean "perMinute"?'],
  ])("as a setting: %j", async (settings, reason) => {
    await expect(createEmulator(settings as EmulatorOptions)).rejects.toThrow(reason);
    const { admin } = await openEmulator();
    expect(() => admin.configure(settings as Partial<Settings>)).toThrow(reason);
    expect(admin.settings()).toMatchObject({ lock: "endpoint", operationMs: 1000, rateLimit: undefined });
  });

  it.each([{ clock: "Manual" }, { port: -1 }, { seed: 1.5 }, { postgres: "yes" }, { apiKey: "two words" }])(
    "as an option: %j",
    async (option) => {
      await expect(createEmulator(option as unknown as EmulatorOptions)).rejects.toThrow(`${Object.keys(option)[0]}: `);
    },
  );

  it("but what is undefined stays as it is, and a limit goes", async () => {
    const { admin } = await openEmulator({ lock: undefined, rateLimit: { perSecond: 1 } } as EmulatorOptions);
    expect(admin.settings()).toMatchObject({ lock: "endpoint", rateLimit: { perSecond: 1 } });
    const settings = admin.configure({ lock: undefined, rateLimit: undefined } as Partial<Settings>);
    expect(settings).toMatchObject({ lock: "endpoint", rateLimit: undefined });
  });
});
