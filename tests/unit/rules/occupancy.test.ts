import { describe, expect, it, test } from "vitest";
import {
  declaredTwiceMessage,
  moveRefusedMessage,
  type OccupiedArgs,
  occupiedMessage,
  orphanedReplicasMessage,
} from "../../../provider/pulumi/advice";

const URN = "urn:pulumi:dev::shop::pgcompute:index:Endpoint::primary";
const IMPORT = "pulumi import pgcompute:index:Endpoint";

function occupied(args: Partial<OccupiedArgs> = {}): string {
  return occupiedMessage({
    projectId: "shop-1",
    branchId: "br-main-1",
    occupant: { endpointId: "ep-old-1", minCu: 0.25, maxCu: 1, state: "idle" },
    host: "plugin",
    resourceName: "primary",
    forcedReplacementPossible: false,
    ...args,
  });
}

describe("occupiedMessage", () => {
  it("names the branch and its occupant with size and state", () => {
    expect(occupied()).toMatch(/^branch br-main-1 already has .*, ep-old-1 \(0\.25 to 1 CU, idle\)/);
    const fixed = { endpointId: "ep-x", minCu: 2, maxCu: 2 };
    expect(occupied({ occupant: fixed })).toContain("ep-x (2 CU),");
  });

  it("gives the occupant's name, which tells what Pulumi has created it for", () => {
    const occupant = { endpointId: "ep-x", minCu: 2, maxCu: 2, name: "pulumi-orders-0123456789ab-1a2b3c4d\u001b[2J" };
    const text = occupied({ occupant });
    expect(text).toContain('ep-x (2 CU) by the name of "pulumi-orders-0123456789ab-1a2b3c4d", and a branch');
    expect(occupied({ occupant: { ...occupant, name: "" } })).toContain("ep-x (2 CU), and a branch");
  });

  test.each(["plugin", "dynamic"] as const)("gives the ways that every host has (%s)", (host) => {
    const text = occupied({ host });
    expect(text).toContain("`adoptExisting: true`");
    expect(text).toContain('`type: "read_only"`');
    expect(text).toContain("`aliases: [{ name: ");
    expect(text).not.toContain("pulumi destroy");
    expect(text).not.toContain("PGCOMPUTE_ADOPT_INTERRUPTED");
  });

  test.each<[string, Partial<OccupiedArgs>, string]>([
    ["the name given", {}, `${IMPORT} primary shop-1/ep-old-1`],
    ["a name with a space", { resourceName: "my endpoint" }, `${IMPORT} 'my endpoint' shop-1/ep-old-1`],
    ["a name with a quote", { resourceName: "it's" }, `${IMPORT} 'it'\\''s' shop-1/ep-old-1`],
    ["the name in the URN", { resourceName: undefined, urn: URN }, `${IMPORT} primary shop-1/`],
    ["a name with :: in the URN", { resourceName: undefined, urn: `${URN}::b` }, `${IMPORT} primary::b shop-1/`],
    ["a placeholder without either", { resourceName: undefined }, `${IMPORT} NAME shop-1/ep-old-1`],
  ])("gives the plugin's import line with %s", (_, args, line) => {
    expect(
      occupied(args)
        .split("\n")
        .find((row) => row.includes(IMPORT)),
    ).toContain(line);
  });

  it("offers no import to the dynamic host, which has none", () => {
    expect(occupied({ host: "dynamic" })).not.toContain("pulumi import");
  });

  it("gives the way of a forced replacement with the URN quoted whole", () => {
    const text = occupied({ forcedReplacementPossible: true, urn: "urn:pulumi:s::p::a$b::it's" });
    expect(text).toContain("pulumi destroy --target 'urn:pulumi:s::p::a$b::it'\\''s', then: pulumi up");
    expect(occupied({ forcedReplacementPossible: true })).toMatch(/--target URN, .*pulumi stack --show-urns/);
  });

  it("tells an interrupted run from a forced replacement where the endpoint is this resource's own", () => {
    const text = occupied({ markedAsOwn: true, forcedReplacementPossible: true, urn: URN });
    expect(text).toContain("ep-old-1 (0.25 to 1 CU, idle)");
    expect(text).toMatch(/interrupted .*run: PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up$/m);
    expect(text).toContain(`run: pulumi destroy --target '${URN}', then: pulumi up`);
    expect(text).not.toMatch(/adoptExisting|pulumi import|read_only/);
    expect(occupied({ markedAsOwn: true, urn: URN })).not.toContain("pulumi destroy");
  });

  it("lets nothing from the platform reach the terminal as control characters", () => {
    const occupant = { endpointId: "ep-\u001b[2J", minCu: 1, maxCu: 1, state: "\u0007idle\u202e" };
    expect(occupied({ occupant }).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe("orphanedReplicasMessage", () => {
  const replica = { endpointId: "ep-r1", minCu: 1, maxCu: 1, state: "active" };

  it("names the replica and both ways on", () => {
    const text = orphanedReplicasMessage("br-a", [replica]);
    expect(text).toMatch(
      /^branch br-a already has the read replica ep-r1 \(1 CU, active\), which an earlier run created/,
    );
    expect(text).toMatch(/take it up again, run: PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up$/m);
    expect(text).toMatch(/--replace.*create one beside it, run the same command with PGCOMPUTE_ADOPT_INTERRUPTED=0$/m);
  });

  it("names all of them, without control characters", () => {
    const text = orphanedReplicasMessage("br-a", [replica, { ...replica, endpointId: "ep-\u001b[2J" }]);
    expect(text).toMatch(/read replicas ep-r1 \(.*\) and ep- \(.*\), which earlier runs created/);
    expect(text).toContain("take the newest up again");
  });
});

describe("declaredTwiceMessage", () => {
  test.each([
    [{ firstName: "primary", firstUrn: URN }, `the resource "primary" (${URN}) of this program already declares`],
    [{ firstName: "primary" }, 'the resource "primary" of this program already declares'],
    [{ firstUrn: URN }, `the resource "primary" (${URN})`],
    [{}, "another resource of this program already declares"],
  ])("names the first from %j", (first, expected) => {
    const text = declaredTwiceMessage({ branchId: "br-a", ...first });
    expect(text).toContain(expected);
    expect(text).toContain("branch br-a");
    expect(text).toContain("`dependsOn`");
  });
});

describe("moveRefusedMessage", () => {
  it("names both ways, the replicas, and where it wanted to go", () => {
    const text = moveRefusedMessage({
      branchId: "br-b",
      fromBranchId: "br-a",
      endpointId: "ep-1",
      replicaIds: ["ep-r1", "ep-r2"],
    });
    expect(text).toMatch(/^endpoint ep-1 cannot move from branch br-a to branch br-b: .*endpoints ep-r1 and ep-r2,/);
    expect(text).toContain("first delete those replicas, or move to a branch without endpoints");
    expect(text).toContain("declare a new read-write endpoint on br-b under another name and remove this one");
    expect(text).toContain("the host name changes");
  });

  it("does with less", () => {
    expect(moveRefusedMessage({ branchId: "br-b", replicaIds: ["ep-r"] })).toMatch(
      /^this endpoint cannot move to branch br-b: .*endpoint ep-r,.*delete that replica,/s,
    );
    expect(moveRefusedMessage({ branchId: "br-b" })).toContain("that branch has read-only endpoints,");
  });
});
