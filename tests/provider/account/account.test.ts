import { describe, expect, it } from "vitest";
import { useBench } from "../../support/bench";

describe("an account", () => {
  it("has one directory, watcher and gate for each project, made at first use and without a call", async () => {
    const { account, emulator } = await useBench();
    const opened = account();
    expect(opened.project("p-1")).toBe(opened.project("p-1"));
    expect(opened.project("p-1")).not.toBe(opened.project("p-2"));
    expect(opened.project("p-1").directory).not.toBe(opened.project("p-2").directory);
    expect(account().project("p-1")).not.toBe(opened.project("p-1"));
    expect(emulator.admin.counts().total).toBe(0);
  });
});
