import { describe, expect, it } from "vitest";
import { writeConfig } from "../../write-config";

const access = { url: "http://127.0.0.1:4010/api/v2", apiKey: "KEY", platform: "neon" } as const;

/** A `pulumi` that knows a stack's passphrase or can ask for it only at the terminal, and what it was asked to do. */
function openPulumi(knowsPassphrase: boolean, config: object = {}) {
  const calls: [string, string][] = [];
  const pulumi = async (args: string[], input = "") => {
    calls.push([args.join(" "), input]);
    const isSecret = args.includes("--secret");
    if (isSecret && input !== "terminal" && !knowsPassphrase) throw new Error("passphrase must be set");
    if (args[0] === "config" && args[1] === "--json") return JSON.stringify(config);
    return args[0] === "stack" ? "dev\n" : "";
  };
  return { pulumi, calls };
}

const asking = "config set --secret pgcompute:apiKey KEY";

describe("--write-config", () => {
  it("gives the key by the input where the passphrase is known, at a terminal too", async () => {
    const { pulumi, calls } = openPulumi(true);
    expect(await writeConfig(access, { pulumi, canAsk: true })).toBe("dev");
    expect(calls.at(-1)).toEqual(["config set --secret pgcompute:apiKey --non-interactive", "KEY"]);
    expect(calls.map(([args]) => args)).not.toContain(asking);
  });

  it("has the passphrase asked for at the terminal", async () => {
    const { pulumi, calls } = openPulumi(false);
    expect(await writeConfig(access, { pulumi, canAsk: true })).toBe("dev");
    expect(calls.at(-1)).toEqual([asking, "terminal"]);
  });

  const key = { "pgcompute:apiKey": { secret: true } };
  const at = (value: string) => ({ "pgcompute:baseUrl": { value, secret: false }, ...key });

  it.each([
    ["a platform's address", at("https://api.example.com/v2"), "stack dev has the address https://api.example.com/v2;"],
    [
      "an address that only begins as this machine's",
      at("http://127.0.0.1.example.com/v2"),
      "stack dev has the address",
    ],
    [
      "an address that is a secret",
      { "pgcompute:baseUrl": { secret: true } },
      "stack dev has the address of a platform as a secret;",
    ],
    ["a key without an address", key, "stack dev has a key of the public platform;"],
  ])("leaves %s alone, unless it is told to replace it", async (_, config, reason) => {
    const { pulumi, calls } = openPulumi(true, config);
    await expect(writeConfig(access, { pulumi, canAsk: true })).rejects.toThrow(reason);
    expect(calls.filter(([args]) => args.includes(" set "))).toEqual([]);
    expect(await writeConfig(access, { pulumi, canAsk: true, replace: true })).toBe("dev");
    expect(calls.filter(([args]) => args.includes(" set "))).toHaveLength(3);
  });

  it.each([{}, at("http://127.0.0.1:4011/api/v2"), at("http://localhost:1/v2"), at("http://[::1]:1/v2")])(
    "replaces what an emulator wrote, or nothing: %j",
    async (config) => {
      const { pulumi, calls } = openPulumi(true, config);
      expect(await writeConfig(access, { pulumi, canAsk: true })).toBe("dev");
      expect(calls.filter(([args]) => args.includes(" set "))).toHaveLength(3);
    },
  );

  it("says what is missing where nobody can be asked", async () => {
    const { pulumi, calls } = openPulumi(false);
    await expect(writeConfig(access, { pulumi, canAsk: false })).rejects.toThrow("passphrase must be set");
    expect(calls.map(([args]) => args)).not.toContain(asking);
  });
});
