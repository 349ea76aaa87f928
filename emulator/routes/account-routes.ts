import type { Platform } from "../model/platform";
import { OWNER_ID } from "../model/project";
import type { AddCall } from "./calls";

/** The billing account of a free account. */
const BILLING_ACCOUNT = {
  state: "active",
  payment_source: { type: "" },
  subscription_type: "UNKNOWN",
  payment_method: "none",
  quota_reset_at_last: "2024-01-01T00:00:00Z",
  name: "Emulated Owner",
  email: "owner@compute.test",
  address_city: "",
  address_country: "",
  address_line1: "",
  address_line2: "",
  address_postal_code: "",
  address_state: "",
};

/** Adds the calls about the one account, and the regions it can use (specification, section 4, published). */
export function accountRoutes(call: AddCall, platform: Platform): void {
  call("users.me", "GET /users/me", () => ({
    id: OWNER_ID,
    email: `${OWNER_ID}@${platform.options.serviceDomain}`,
    login: OWNER_ID,
    name: "Emulated",
    last_name: "Owner",
    image: "",
    auth_accounts: [],
    plan: platform.settings.plan,
    // 0 means unlimited.
    active_seconds_limit: 0,
    projects_limit: 0,
    branches_limit: 0,
    max_autoscaling_limit: platform.settings.maxCu,
    billing_account: BILLING_ACCOUNT,
  }));

  call("organizations.list", "GET /users/me/organizations", () => ({ organizations: [] }));

  call("regions.list", "GET /regions", () => {
    const regions = knownRegions(platform).map((id) => ({
      region_id: id,
      name: id,
      default: id === platform.options.regionId,
      geo_lat: "",
      geo_long: "",
    }));
    return { regions };
  });
}

/** The known regions: the default one, the settings', and the projects'. */
export function knownRegions({ options, settings, projects }: Platform): string[] {
  const used = [...projects.values()].map(({ record }) => record.region_id);
  return [...new Set([options.regionId, ...(settings.regions ?? []), ...used])];
}
