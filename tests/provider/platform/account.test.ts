import { describe, expect, it } from "vitest";
import { useBench } from "../../support/bench";

describe("an account", () => {
  it("has one cache, waiter and changes for each project, made at first use and without a call", async () => {
    const { account, emulator } = await useBench();
    const opened = account();
    expect(opened.project("p-1")).toBe(opened.project("p-1"));
    expect(opened.project("p-1")).not.toBe(opened.project("p-2"));
    expect(opened.project("p-1").cache).not.toBe(opened.project("p-2").cache);
    expect(account().project("p-1")).not.toBe(opened.project("p-1"));
    expect(emulator.admin.counts().total).toBe(0);
  });
});
