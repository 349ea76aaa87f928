import { describe, expect, it, test } from "vitest";
import { memberOwner, type Owner, resourceOwner } from "../../../provider/lib/owner";
import type { EndpointRecord } from "../../../provider/platform/records";
import { type OccupiedArgs, occupiedMessage } from "../../../provider/pulumi/messages/occupied";
import { importedOwnerMessage, orphanMessage, refusalMessage } from "../../../provider/pulumi/messages/refusals";
import { endpointRecord } from "../../support/samples";

const URN = resourceOwner("urn:pulumi:dev::shop::pgcompute:index:Endpoint::primary");
const OTHER = resourceOwner("urn:pulumi:dev::shop::pgcompute:index:Endpoint::other");
const IMPORT = "pulumi import pgcompute:index:Endpoint";

const record = endpointRecord();

function occupied({ occupant = {}, ...args }: Partial<Omit<OccupiedArgs, "occupant">> & Part = {}): string {
  return occupiedMessage({
    host: "plugin",
    urn: URN,
    forcedReplacementPossible: false,
    mayAdopt: true,
    ...args,
    occupant: { ...record, ...occupant },
  });
}

interface Part {
  occupant?: Partial<EndpointRecord>;
}

describe("occupiedMessage", () => {
  it("names the branch and its occupant with size and state", () => {
    expect(occupied()).toMatch(/^branch br-main-1 already has .*, ep-old-1 \(0\.25 to 1 CU, idle\)/);
    const fixed = { id: "ep-x", autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2, currentState: "" };
    expect(occupied({ occupant: fixed })).toContain("ep-x (2 CU),");
  });

  it("tells how to remove what an interrupted run of another resource left", () => {
    const line = "run: npx --no-install pgcompute endpoints delete shop-1/ep-old-1";
    expect(occupied({ other: { urn: OTHER, name: "other" } })).toContain(line);
    expect(occupied({ other: { name: "orders" } })).toContain(line);
    expect(occupied()).not.toContain(line);
  });

  it("names in options the resource that there is: of a member its fleet, and none by the name of an endpoint alone", () => {
    const fleet = "urn:pulumi:dev::shop::pgcompute:index:EndpointFleet::previews";
    const members = occupied({ other: { urn: memberOwner(fleet, "pr-1") } });
    expect(members).toContain("`dependsOn: [previews]`");
    expect(members).not.toMatch(/dependsOn: \[previews[/-]|aliases/);
    const read = occupied({ other: { name: "previews-pr-1" } });
    expect(read).toMatch(/wait with `dependsOn` for that resource, or for that fleet/);
    expect(read).not.toMatch(/\[previews-pr-1\]|name: "previews-pr-1"/);
    const imported = importedOwnerMessage("shop-1/ep-1", { name: "previews-pr-1" });
    expect(imported).toMatch(/a member of a fleet by `pulumi up` with `retainOnDelete: true`/);
  });

  it("gives the occupant's name, which tells what Pulumi has created it for", () => {
    const size = { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2, currentState: "" };
    const occupant = { id: "ep-x", ...size, name: "pulumi-orders-0123456789ab-1a2b3c4d\u001b[2J" };
    const text = occupied({ occupant });
    expect(text).toContain('ep-x (2 CU) named "pulumi-orders-0123456789ab-1a2b3c4d", and a branch');
    expect(occupied({ occupant: { ...occupant, name: "" } })).toContain("ep-x (2 CU), and a branch");
  });

  test.each(["plugin", "dynamic"] as const)("gives the ways that every host has (%s)", (host) => {
    const text = occupied({ host });
    expect(text).toContain("`adoptExisting: true`");
    expect(text).toContain("`aliases: [{ name: ");
    expect(text).not.toContain("pulumi destroy");
    expect(text).not.toContain("PGCOMPUTE_ADOPT_INTERRUPTED");
  });

  test.each<[string, { urn?: Owner }, string]>([
    ["the name in the URN", {}, `${IMPORT} primary shop-1/ep-old-1`],
    ["a name with a space", { urn: resourceOwner(`${URN} b`) }, `${IMPORT} 'primary b' shop-1/ep-old-1`],
    ["a name with a quote", { urn: resourceOwner(`${URN}'s`) }, `${IMPORT} 'primary'\\''s' shop-1/ep-old-1`],
    ["a name with :: in the URN", { urn: resourceOwner(`${URN}::b`) }, `${IMPORT} primary::b shop-1/`],
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
    const text = occupied({ forcedReplacementPossible: true, urn: resourceOwner("urn:pulumi:s::p::a$b::it's") });
    expect(text).toContain("pulumi destroy --target 'urn:pulumi:s::p::a$b::it'\\''s', then: pulumi up");
  });

  it("tells an interrupted run from a forced replacement where the endpoint is this resource's own", () => {
    const own = (isNew: boolean) =>
      refusalMessage({ kind: "left", left: [{ record }], isNew }, { host: "plugin", urn: URN });
    const text = own(true);
    expect(text).toContain("ep-old-1 (0.25 to 1 CU, idle)");
    expect(text).toMatch(
      /only where a run was killed.* without --target and --exclude.*run: PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up$/m,
    );
    expect(text).toMatch(
      /else see who has which endpoint, with this stack and with others, run: pulumi stack export \| \S.* state list --live; /,
    );
    expect(text).toContain(`run: pulumi destroy --target '${URN}', then: pulumi up`);
    expect(text).not.toMatch(/adoptExisting|pulumi import|read_only/);
    expect(own(false)).not.toContain("pulumi destroy");
  });

  it("lets nothing from the platform reach the terminal as control characters", () => {
    const occupant = { id: "ep-\u001b[2J", currentState: "\u0007idle\u202e" };
    expect(occupied({ occupant }).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe("orphanMessage", () => {
  it("names the replica, and the command that removes it", () => {
    const text = orphanMessage({ ...record, id: "ep-r1", type: "read_only" });
    expect(text).toMatch(/^endpoint shop-1\/ep-r1 on branch br-main-1 was created for this resource by an earlier run/);
    expect(text).toMatch(/run: npx --no-install pgcompute endpoints delete shop-1\/ep-r1$/);
    expect(text).not.toContain("ADOPT_INTERRUPTED");
    expect(orphanMessage(record, true)).toMatch(
      / beside it, run: PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up; to delete it/,
    );
  });
});

describe("refusalMessage", () => {
  const reader = { host: "plugin", urn: OTHER } as const;

  it("names the first of two that declare one branch", () => {
    const text = refusalMessage({ kind: "declared_twice", branchId: "br-a", first: URN }, reader);
    expect(text).toContain(`the resource "primary" (${URN}) of this program already declares`);
    expect(text).toContain("branch br-a");
  });

  it("says which resource has to wait for which, and how", () => {
    const text = refusalMessage({ kind: "order", branchId: "br-a", first: URN, second: OTHER }, reader);
    expect(text).toContain(`"primary" (${URN})`);
    expect(text).toContain("this resource");
    expect(text).toContain('add `dependsOn: [primary]` to the options of "other"');
  });

  it("names both owners of one endpoint, and how to take each out of the state", () => {
    const text = refusalMessage(
      { kind: "two_owners", branchId: "br-a", endpointId: "ep-1", urns: [URN, OTHER] },
      reader,
    );
    for (const urn of [URN, OTHER]) expect(text).toContain(`pulumi state delete '${urn}'`);
    expect(text).toContain("endpoint ep-1");
  });

  it("offers nothing that would take what is another's", () => {
    const refusal = { kind: "occupied", occupant: record, isNew: true, other: { urn: OTHER } } as const;
    const text = refusalMessage(refusal, { host: "plugin", urn: URN });
    expect(text).toContain(`"other" (${OTHER})`);
    expect(text).toContain("`dependsOn: [other]`");
    expect(text).not.toMatch(/adoptExisting|pulumi import/);
    expect(text).toContain('`type: "read_only"`');
  });

  const others = [undefined, { urn: OTHER }, { name: "other" }, { urn: OTHER, name: "other" }];
  const readers = [URN, memberOwner("urn:pulumi:dev::shop::pgcompute:index:EndpointFleet::previews", "pr-1")];
  const cases = others.flatMap((other) =>
    readers.flatMap((urn) =>
      [undefined, "br-left"].flatMap((leftBranchId) =>
        [undefined, { branchId: "br-b", inTime: true }].map((leaves) => ({ other, urn, leftBranchId, leaves })),
      ),
    ),
  );
  it.each(cases)("has no more than three ways on where a branch is occupied: %j", ({ urn, ...known }) => {
    const isNew = known.leftBranchId === undefined && known.leaves === undefined;
    const text = refusalMessage({ kind: "occupied", occupant: record, isNew, ...known }, { host: "plugin", urn });
    const ways = text.match(/^ {2}- .+$/gm) ?? [];
    expect(ways.length).toBeGreaterThanOrEqual(2);
    expect(ways.length).toBeLessThanOrEqual(3);
    expect(text.includes("pulumi refresh")).toBe(known.leftBranchId !== undefined);
  });

  it.each([
    [
      true,
      'two runs: give this resource a branch without endpoints, let "other" wait for it with `dependsOn: [primary]`',
    ],
    [false, 'three runs: give this resource a branch without endpoints, then "other" its new branch'],
  ])("says how two exchange their branches (in place: %s)", (inTime, runs) => {
    const leaves = { branchId: "br-b", inTime };
    const refusal = { kind: "occupied", occupant: record, isNew: false, other: { urn: OTHER }, leaves } as const;
    const text = refusalMessage(refusal, { host: "plugin", urn: URN });
    expect(text).toContain(`if "other" is to come to branch br-b in exchange, that takes ${runs}`);
  });

  it("says why what was taken over is not replaced where it is, and both ways on", () => {
    const text = refusalMessage({ kind: "released", occupant: record }, reader);
    expect(text).toMatch(
      /^endpoint ep-old-1 \(0.25 to 1 CU, idle\) was taken over, so a replacement does not delete it/,
    );
    expect(text).toMatch(
      /replaceOnChanges[\s\S]*run: npx --no-install pgcompute endpoints delete shop-1\/ep-old-1, then: pulumi up --refresh$/,
    );
  });

  it("names the resource that leaves too late", () => {
    const refusal = { kind: "leaves_late", branchId: "br-a", occupant: record, other: OTHER } as const;
    expect(refusalMessage(refusal, reader)).toMatch(/"other" \(urn.*\), which this program removes only at the end/);
  });
});
