import { describe, expect, it } from "vitest";
import { writeConfig } from "../../write-config";

const access = { url: "http://127.0.0.1:4010/api/v2", apiKey: "KEY" };

/** A `pulumi` that knows a stack's passphrase or can ask for it only at the terminal, and what it was asked to do. */
function openPulumi(knowsPassphrase: boolean) {
  const calls: [string, string][] = [];
  const pulumi = async (args: string[], input = "") => {
    calls.push([args.join(" "), input]);
    const isSecret = args.includes("--secret");
    if (isSecret && input !== "terminal" && !knowsPassphrase) throw new Error("passphrase must be set");
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

  it("says what is missing where nobody can be asked", async () => {
    const { pulumi, calls } = openPulumi(false);
    await expect(writeConfig(access, { pulumi, canAsk: false })).rejects.toThrow("passphrase must be set");
    expect(calls.map(([args]) => args)).not.toContain(asking);
  });
});
