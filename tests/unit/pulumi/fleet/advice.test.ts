import { describe, expect, it } from "vitest";
import { memberOwner, resourceOwner } from "../../../../provider/lib/owner";
import { PgComputeError } from "../../../../provider/platform/errors";
import type { Remedy } from "../../../../provider/platform/remedy";
import { adviseMember } from "../../../../provider/pulumi/fleet/advice";
import { outsideFailure } from "../../../../provider/pulumi/fleet/messages";
import { endpointRecord } from "../../../support/samples";

const FLEET = resourceOwner("urn:pulumi:dev::shop::pgcompute:index:EndpointFleet::previews");
const MEMBER = memberOwner(FLEET, "pr-1");

const occupant = endpointRecord({ branchId: "br-a", autoscalingLimitMinCu: 1 });

describe.each(["plugin", "dynamic"] as const)("the advice for a member (%s)", (host) => {
  it("whose create was lost is the importId of what it may have made, and no import of another resource", () => {
    const candidates = ["shop-1/ep-a", "shop-1/ep-b"];
    const place = { projectId: "shop-1", branchId: "br-a", name: "n", keepsNames: false };
    const remedy: Remedy = { kind: "maybeCreated", ...place, candidates };
    const error = new PgComputeError("answer_lost", "lost", { remedy });
    adviseMember(error, { host, urn: FLEET, members: new Map() }, MEMBER);
    for (const id of candidates) {
      expect(error.advice).toContain(`to delete ${id}, if nobody else has it`);
      expect(error.advice).toContain(`set \`importId: "${id}"\` for this member`);
    }
    expect(error.advice).not.toContain("pulumi import");
  });

  it("that meets another resource's endpoint is the member's, and no destroy of the whole fleet", () => {
    const refusal = { kind: "occupied", occupant, isNew: true } as const;
    const { reason } = outsideFailure({ key: "pr-1", refusal }, { host, urn: FLEET, ownerOf: () => MEMBER });
    expect(reason).toContain('set `importId: "shop-1/ep-old-1"` for this member');
    expect(reason).not.toMatch(/pulumi import|pulumi destroy/);
  });
});
