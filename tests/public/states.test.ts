/** Tests `import-file --from` on Terraform states in the shapes of the public providers, with invented values. */
import { expect, it } from "vitest";
import { nameAll } from "../../cli/import-file/found";
import { readTerraform } from "../../cli/import-file/terraform";

interface Row {
  /** Tracker and number, or whose states. */
  from: string;
  what: string;
  type?: string;
  name?: string;
  provider?: string;
  attributes: object;
  found: { isPooled?: boolean; [name: string]: unknown }[];
  leftOut?: string[];
}

const own = { id: "ep-a", project_id: "p-1", branch_id: "br-1", type: "read_write", host: "ep-a.region.example" };
const sized = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1, suspend_timeout_seconds: 300 };
const read = { endpointId: "ep-a", projectId: "p-1", branchId: "br-1", type: "read_write" };
const said = { autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 1, suspendTimeoutSeconds: 300 };

const rows: Row[] = [
  {
    from: "kislerdm#48",
    what: "an endpoint of its own",
    attributes: { ...own, ...sized },
    found: [{ ...read, said }],
  },
  {
    from: "kislerdm#154",
    what: "an endpoint that was imported by project and endpoint",
    attributes: { ...own, id: "p-1/ep-a" },
    found: [read],
  },
  {
    from: "kislerdm#131",
    what: "names with umlauts and emoji",
    name: "größe_🐘",
    attributes: own,
    found: [{ ...read, name: "gr-e_" }],
  },
  {
    from: "kislerdm#234",
    what: "an endpoint that is inside its project",
    type: "neon_project",
    attributes: {
      id: "p-1",
      default_branch_id: "br-1",
      default_endpoint_id: "ep-a",
      default_endpoint_settings: [sized],
    },
    found: [{ ...read, said, inside: "neon_project.main" }],
  },
  {
    from: "kenchan0130, states",
    what: "an endpoint that is inside its branch, with sizes by other names",
    type: "neon_branch",
    provider: "kenchan0130/neon",
    attributes: {
      id: "br-1",
      project_id: "p-1",
      endpoint: { id: "ep-a", min_cu: 0.25, max_cu: 1, suspend_timeout: 300 },
    },
    found: [{ ...read, said, inside: "neon_branch.main" }],
  },
  {
    from: "terraform-community-providers/neon, states",
    what: "an endpoint without a type is a read replica there",
    provider: "terraform-community-providers/neon",
    attributes: { id: "ep-a", project_id: "p-1", branch_id: "br-1" },
    found: [{ ...read, type: "read_only" }],
  },
  {
    from: "terraform-community-providers/neon, states",
    what: "and so is one whose type is null, as a state has it",
    provider: "terraform-community-providers/neon",
    attributes: { id: "ep-a", project_id: "p-1", branch_id: "br-1", type: null },
    found: [{ ...read, type: "read_only" }],
  },
  {
    from: "kislerdm#138",
    what: "a project that does not say which endpoint it has is left out by name",
    type: "neon_project",
    attributes: { id: "p-1", name: "shop" },
    found: [],
    leftOut: ["neon_project.main"],
  },
  {
    from: "programs of the bridged provider",
    what: "a host that is the pooled one, which the endpoint's own is not",
    attributes: { ...own, host: "ep-a-pooler.region.example", pooler_enabled: true, pooler_mode: "transaction" },
    found: [{ ...read, isPooled: true, said: { type: "read_write" } }],
  },
  {
    from: "programs of the bridged provider",
    what: "the endpoint's own host, in a domain that ends as a pooled one does",
    attributes: { ...own, host: "ep-a.region-pooler.example" },
    found: [read],
  },
];

it.each(rows)(
  "$from: $what",
  ({ type = "neon_endpoint", name = "main", provider = "kislerdm/neon", attributes, found, leftOut = [] }) => {
    const resource = {
      ...{ mode: "managed", type, name, provider: `provider["registry.terraform.io/${provider}"]` },
      instances: [{ schema_version: 0, attributes }],
    };
    const state = {
      version: 4,
      terraform_version: "1.9.0",
      serial: 1,
      lineage: "a",
      outputs: {},
      resources: [resource],
    };
    const result = readTerraform(JSON.stringify(state));
    const named = nameAll(result.found);
    expect(named).toHaveLength(found.length);
    expect(named).toMatchObject(found);
    expect(named.filter(({ isPooled }) => isPooled)).toHaveLength(found.filter(({ isPooled }) => isPooled).length);
    expect(result.leftOut.map(({ address }) => address)).toEqual(leftOut);
  },
);

it("what `terraform show -json` prints is told from a state, with the command that prints one", () => {
  const shown = JSON.stringify({ format_version: "1.0", values: { root_module: {} } });
  expect(() => readTerraform(shown)).toThrow(/terraform state pull/);
});
