import { describe, expect, it } from "vitest";
import { memberOwner, resourceOwner } from "../../../../provider/lib/owner";
import { PgComputeError, type Remedy } from "../../../../provider/platform/errors";
import { refusalFailures } from "../../../../provider/pulumi/messages/fleet";
import { adviseError } from "../../../../provider/pulumi/messages/refusals";
import { endpointRecord } from "../../../support/samples";

const FLEET = resourceOwner("urn:pulumi:dev::shop::pgcompute:index:EndpointFleet::previews");
const MEMBER = memberOwner(FLEET, "pr-1");

const occupant = endpointRecord({ branchId: "br-a", autoscalingLimitMinCu: 1 });

describe.each(["plugin", "dynamic"] as const)("the advice for a member (%s)", (host) => {
  it.each([
    [["shop-1/ep-a"], "shop-1/ep-a", "it"],
    [["shop-1/ep-a", "shop-1/ep-b"], "shop-1/ENDPOINT", "each of them"],
  ])(
    "whose create may have made %j is the importId of it, and no import of another resource",
    (candidates, id, which) => {
      const place = { projectId: "shop-1", branchId: "br-a", name: "n", keepsNames: false };
      const remedy: Remedy = { kind: "maybe_created", ...place, candidates };
      const error = new PgComputeError("answer_lost", "lost", { remedy });
      adviseError(error, { host, urn: MEMBER });
      expect(error.advice).toContain(
        `to delete ${which}, if nobody else has it, run: npx --no-install pgcompute endpoints delete ${id}`,
      );
      expect(error.advice).toContain(`set \`importId: "${id}"\` for this member`);
      expect(error.advice).not.toContain("pulumi import");
    },
  );

  it("that meets another resource's endpoint is the member's, and no destroy of the whole fleet", () => {
    const refusal = { kind: "occupied", occupant, isNew: true } as const;
    const [{ reason } = { reason: "" }] = refusalFailures({ about: [MEMBER], refusal }, { host, urn: FLEET });
    expect(reason).toContain('set `importId: "shop-1/ep-old-1"` for this member');
    expect(reason).not.toMatch(/pulumi import|pulumi destroy/);
  });
});
