import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { partOf, stackNames } from "../../../examples/fleet-over-stacks/parts.mjs";
import { root } from "../../../tools/root.mjs";

const STACKS = stackNames(8);

/** Where each entry goes. */
function placesOf(entries: Parameters<typeof partOf>[0]): Map<string, string> {
  return new Map(
    STACKS.flatMap((stack) => Object.keys(partOf(entries, stack, STACKS.length)).map((name) => [name, stack] as const)),
  );
}

const primaries = Array.from({ length: 100 }, (_, at) => [`db${at}`, { projectId: "p", branch: `b${at}` }] as const);

describe("the parts of examples/fleet-over-stacks", () => {
  it("have every endpoint once, each of them some, and each the same whoever else is there", () => {
    const entries = Object.fromEntries(primaries);
    const sizes = STACKS.map((stack) => Object.keys(partOf(entries, stack, STACKS.length)).length);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(primaries.length);
    const places = placesOf(entries);
    expect(places.size).toBe(primaries.length);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    const some = placesOf(Object.fromEntries(primaries.slice(0, 10)));
    for (const [name, stack] of some) expect(places.get(name)).toBe(stack);
  });

  it("keep a primary and its replicas together", () => {
    const replicas = primaries.map(([name, entry]) => [`${name}-replica`, { ...entry, type: "read_only" }] as const);
    const places = placesOf(Object.fromEntries([...primaries, ...replicas]));
    for (const [name] of primaries) expect(places.get(`${name}-replica`)).toBe(places.get(name));
  });

  it("keep what names a group where it is, whatever branch it moves to", () => {
    const grouped = (prefix: string) =>
      Object.fromEntries(
        primaries.map(([name]) => [name, { projectId: "p", branch: `${prefix}${name}`, group: name }]),
      );
    expect(placesOf(grouped("new-"))).toEqual(placesOf(grouped("old-")));
    const ungrouped = Object.fromEntries(primaries.map(([name]) => [name, { projectId: "p", branch: `new-${name}` }]));
    expect(placesOf(ungrouped)).not.toEqual(placesOf(Object.fromEntries(primaries)));
  });

  it("refuse an endpoint that has both a name and an id for its branch, in whichever stack", () => {
    const entries = { db: { projectId: "p", branch: "orders", branchId: "br-orders-1", group: "orders" } };
    for (const stack of STACKS) {
      expect(() => partOf(entries, stack, STACKS.length)).toThrow("fleet.json: db: give branch or branchId, not both");
    }
  });

  it.each(["dev", "part-1-of-8", "part-0-of-4", "part-5-of-4"])("are refused to stack %s, which is none", (stack) => {
    expect(() => partOf({}, stack)).toThrow(`stack ${stack} is no part of this fleet`);
  });

  it("are printed, a line each, and as a matrix", () => {
    const printed = (...args: string[]) =>
      execFileSync(process.execPath, [join(root, "examples/fleet-over-stacks/parts.mjs"), ...args], {
        encoding: "utf8",
      });
    expect(printed()).toBe(`${stackNames().join("\n")}\n`);
    expect(JSON.parse(printed("--json"))).toEqual(stackNames());
    expect(stackNames()).toEqual(["part-1-of-4", "part-2-of-4", "part-3-of-4", "part-4-of-4"]);
  });

  it("share out no more calls than the account's, among as many as the workflow runs at a time", () => {
    const read = (file: string) => parse(readFileSync(join(root, "examples/fleet-over-stacks", file), "utf8"));
    const { config } = read("Pulumi.yaml");
    const { jobs } = read(".github/workflows/fleet.yml");
    const share = config["pgcompute:maxRequestsPerSecond"].value;
    expect(share * jobs.part.strategy["max-parallel"]).toBeLessThanOrEqual(700 / 60);
    expect(share * jobs.part.strategy["max-parallel"]).toBeGreaterThan(11);
  });
});
