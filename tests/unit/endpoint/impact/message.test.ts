import { expect, it, test } from "vitest";
import { impactMessages } from "../../../../provider/endpoint/impact/impact";
import { type ImpactChange, type ImpactSide, impactOf } from "./support/change";

const before = { branchId: "br-a", minCu: 2, maxCu: 4, suspendTimeoutSeconds: 300, host: "ep-1.eu.example.test" };

const to = (part: ImpactSide): ImpactChange => ({ kind: "update", before, after: { ...before, ...part } });

test.each<[string, ImpactChange, string]>([
  ["an unchanged endpoint", { kind: "update", before, after: before }, "no restart; connections stay"],
  [
    "a smaller minimum",
    to({ minCu: 0.5 }),
    "restarts the endpoint: open connections are dropped | size 2 to 4 CU -> 0.5 to 4 CU | max_connections 901 -> 225 (set by the minimum size) | memory 8 to 16 GB -> 2 to 16 GB",
  ],
  [
    "a larger maximum",
    to({ maxCu: 7 }),
    "restarts the endpoint: open connections are dropped | size 2 to 4 CU -> 2 to 7 CU | memory 8 to 16 GB -> 8 to 28 GB",
  ],
  [
    "autosuspend off",
    to({ suspendTimeoutSeconds: -1 }),
    "no restart; connections stay | autosuspend after 300 s -> never",
  ],
  [
    "autosuspend back to the default, which is the same delay",
    to({ suspendTimeoutSeconds: 0 }),
    "no restart; connections stay",
  ],
  [
    "autosuspend no longer set",
    { kind: "update", before: { suspendTimeoutSeconds: 60 }, after: {}, changed: ["suspendTimeoutSeconds"] },
    "no restart; connections stay | autosuspend after 60 s -> after 300 s (default)",
  ],
  ["a move", to({ branchId: "br-b" }), "moves from br-a to br-b | suspends the endpoint: open connections are dropped"],
  ["disabling", to({ disabled: true }), "disables the endpoint: it is suspended, and no connection can wake it"],
  [
    "enabling",
    { kind: "update", before: { ...before, disabled: true }, after: { ...before, disabled: false } },
    "enables the endpoint, which was disabled",
  ],
  [
    "a setting without a word on restarts",
    to({ pgSettings: { work_mem: "1GB" } }),
    "restart not stated by the platform for pgSettings (work_mem), which it applies as configuration",
  ],
  [
    "an unknown size",
    { kind: "update", before, after: { branchId: "br-a" }, unknown: ["sizeCu"] },
    "depends on values not known yet: sizeCu",
  ],
  [
    "a create",
    { kind: "create", after: { minCu: 0.25, maxCu: 0.25, suspendTimeoutSeconds: 0 } },
    "size 0.25 CU | max_connections 112 (set by the minimum size) | memory 1 GB | autosuspend after 300 s (default)",
  ],
  ["a create that leaves all to the platform", { kind: "create", after: {} }, ""],
  [
    "a replacement",
    { kind: "replace", before, after: { ...before, branchId: "br-b" } },
    "replaces the endpoint: open connections are dropped | host name changes | the new endpoint is on br-b instead of br-a",
  ],
  [
    "a replacement that deletes first",
    { kind: "replace", before, after: before, deleteBeforeReplace: true },
    "replaces the endpoint: open connections are dropped | host name changes | downtime: nobody can connect between the old endpoint and the new one",
  ],
  [
    "a replacement that is disabled",
    { kind: "replace", before, after: { ...before, disabled: true }, deleteBeforeReplace: true },
    "replaces the endpoint: open connections are dropped | host name changes | downtime: the new endpoint is disabled, so nobody can connect until it is enabled",
  ],
  ["a deletion", { kind: "delete", before }, "deletes the endpoint permanently: open connections are dropped"],
  [
    "a release",
    { kind: "release", before },
    "releases the endpoint: it keeps running, outside this stack; connections stay",
  ],
])("%s", (_, change, expected) => {
  expect(impactMessages(impactOf(change)).join(" | ")).toBe(expected);
});

it("shows names of settings, never their values, and no control characters", () => {
  const pgSettings = { "a\u001b[31m": "s3cret", b: "s3cret" };
  const text = impactMessages(impactOf(to({ pgSettings }))).join();
  expect(text).toContain("b");
  expect(text).not.toContain("s3cret");
  expect(text).not.toMatch(/\p{Cc}/u);
});
