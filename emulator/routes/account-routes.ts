import type { Platform } from "../model/platform";
import { OWNER_ID } from "../model/project";
import type { AddCall } from "./calls";

/** The calls about the account, which is the only one, and what it can use (specification, section 4, published). */
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
    // 0 stands for no limit.
    active_seconds_limit: 0,
    projects_limit: 0,
    branches_limit: 0,
    max_autoscaling_limit: platform.settings.maxCu,
  }));

  call("organizations.list", "GET /users/me/organizations", () => ({ organizations: [] }));

  // The one of projects that name none, and those that projects have named.
  call("regions.list", "GET /regions", () => {
    const { regionId } = platform.options;
    const used = [...platform.projects.values()].map(({ record }) => record.region_id);
    const regions = [...new Set([regionId, ...used])].map((id) => ({
      region_id: id,
      name: id,
      default: id === regionId,
      geo_lat: "",
      geo_long: "",
    }));
    return { regions };
  });
}
