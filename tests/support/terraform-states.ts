/** Terraform states written by hand, by the published schemas of the community's two providers. */
import type { EndpointState } from "../../emulator";

/** Whose state it is. */
export type TerraformProvider = "kislerdm" | "kenchan0130";

/** What of an endpoint a state says. */
type Stored = Pick<EndpointState, "id" | "project_id" | "branch_id" | "type" | "host"> &
  Partial<
    Pick<
      EndpointState,
      "autoscaling_limit_min_cu" | "autoscaling_limit_max_cu" | "suspend_timeout_seconds" | "settings"
    >
  >;

const versions = { kislerdm: 8, kenchan0130: 0 };

/** The state of endpoints that one resource with `for_each` has, beside a role with its password. */
export function terraformState(provider: TerraformProvider, endpoints: readonly Stored[], module?: string): string {
  const of = (type: string, instances: object[]) => ({
    ...(module !== undefined && { module }),
    mode: "managed",
    type,
    name: type === "neon_role" ? "app" : "pr",
    provider: `provider["registry.terraform.io/${provider}/neon"]`,
    instances,
  });
  const instances = endpoints.map((endpoint, at) => ({
    index_key: String(at),
    schema_version: versions[provider],
    attributes: attributesOf(provider, endpoint),
    sensitive_attributes: [[{ type: "get_attr", value: provider === "kislerdm" ? "pg_settings" : "settings" }]],
  }));
  const role = { attributes: { name: "app", password: "a-role's-password" }, sensitive_attributes: [] };
  const resources = [of("neon_role", [role]), of("neon_endpoint", instances)];
  return JSON.stringify({
    version: 4,
    terraform_version: "1.9.0",
    serial: 7,
    lineage: "a-b-c",
    outputs: {},
    resources,
  });
}

function attributesOf(provider: TerraformProvider, { settings, ...endpoint }: Stored): object {
  const { id, project_id, branch_id, type, host } = endpoint;
  const { autoscaling_limit_min_cu = null, autoscaling_limit_max_cu = null, suspend_timeout_seconds = null } = endpoint;
  const same = {
    id,
    project_id,
    branch_id,
    type,
    host,
    autoscaling_limit_min_cu,
    autoscaling_limit_max_cu,
    suspend_timeout_seconds,
  };
  const pg_settings = settings?.pg_settings ?? null;
  if (provider === "kislerdm")
    return { ...same, pg_settings, pooler_enabled: false, proxy_host: "", region_id: "aws-1" };
  return {
    ...same,
    settings: { pg_settings, preload_libraries: null },
    name: null,
    disabled: false,
    current_state: "idle",
  };
}
