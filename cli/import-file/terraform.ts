/**
 * Reads endpoints from a Terraform state (format 4): `neon_endpoint`, or inside `neon_project` and `neon_branch`, of
 * the providers kislerdm/neon, its successor neondatabase/neon, kenchan0130/neon and
 * terraform-community-providers/neon. Reads only ids, types, sizes, delays and whether a host is pooled: other values
 * may be plain secrets.
 */
import { z } from "zod";
import { isId } from "../../provider/lib/ids";
import { isRecord, type Values } from "../../provider/lib/unknown";
import { plain } from "../../provider/lib/wording";
import { CommandError, unreadable } from "../exit-code";
import { parseJson, parseState } from "../input";
import { type Found, settingsOf } from "./found";

/** The endpoints of a Terraform state to import, and the resources to leave out. */
export interface TerraformState {
  found: Found[];
  /** Projects and branches whose endpoints the state lacks, by address, with their project. */
  leftOut: { address: string; projectId: string | undefined }[];
}

const resource = z.object({
  mode: z.string(),
  type: z.string(),
  name: z.string(),
  module: z.string().optional(),
  provider: z.string().optional(),
  instances: z.array(
    z.object({
      index_key: z.union([z.string(), z.number()]).optional(),
      /** Set for an instance that a replacement left behind. */
      deposed: z.string().optional(),
      attributes: z.unknown(),
    }),
  ),
});

const state = z.object({ version: z.literal(4), resources: z.array(resource) });

/** A project, branch or endpoint in the state. */
interface Instance {
  type: string;
  address: string;
  label: string;
  isOfCommunity: boolean;
  values: Values;
}

const outer = ["neon_project", "neon_branch"];

/** The provider whose `neon_endpoint` is always a read replica. */
const COMMUNITY = "terraform-community-providers/neon";

/** Reads a state's endpoints. Throws a `CommandError` for other text, or for an endpoint without its ids. */
export function readTerraform(text: string): TerraformState {
  const json = parseJson(text);
  if (isRecord(json) && "format_version" in json) {
    throw new CommandError(
      "cannot read the state: this is what `terraform show -json` prints; give what `terraform state pull` prints",
    );
  }

  const { resources } = parseState(text, state, "as in a state of Terraform, format 4");
  const instances = resources.filter(({ mode }) => mode === "managed").flatMap(instancesOf);
  const own = instances.filter(({ type }) => type === "neon_endpoint").map(endpointOf);
  const others = instances.filter(({ type }) => outer.includes(type));
  const inside = others.flatMap(endpointsInside);
  const ids = new Set<string>();
  const found = [...own, ...inside].filter(({ endpointId }) => !ids.has(endpointId) && ids.add(endpointId));
  return { found, leftOut: others.filter(isLeftOut).map(leftOutOf) };
}

function instancesOf({ type, module, name, provider = "", instances }: z.infer<typeof resource>): Instance[] {
  return instances.flatMap(({ index_key: index, deposed, attributes }) => {
    if (deposed !== undefined) return [];
    const place = index === undefined ? "" : `[${JSON.stringify(index)}]`;
    const address = `${module === undefined ? "" : `${module}.`}${type}.${name}${place}`;
    const values = isRecord(attributes) ? attributes : {};
    return [
      { type, address, label: labelOf(module, name, index), isOfCommunity: provider.includes(COMMUNITY), values },
    ];
  });
}

function endpointOf({ address, label, isOfCommunity, values }: Instance): Found {
  for (const name of ["id", "project_id", "branch_id"]) {
    if (typeof values[name] === "string") continue;
    throw unreadable("state", `${address}: ${name} is missing or of another kind`);
  }

  // After an import, `id` may be the import id.
  const endpointId = String(values.id).split(/[/:]/).at(-1) ?? "";
  const ids = { projectId: String(values.project_id), endpointId, branchId: String(values.branch_id) };
  const wrong = Object.values(ids).find((id) => !isId(id));
  if (wrong !== undefined) throw unreadable("state", `${address}: "${plain(wrong)}" cannot be an id`);
  const type = values.type === "read_only" || (values.type == null && isOfCommunity) ? "read_only" : "read_write";
  return { ...ids, ...readSettings(values, type), label };
}

/** The endpoints inside a project or a branch that have an id and a branch. */
function endpointsInside({ type, address, label, values }: Instance): Found[] {
  const projectId = projectOf({ type, values });
  const all = objectsIn(values).flatMap(({ object, around }): Found[] => {
    const endpointId = [object.id, object.endpoint_id, object.default_endpoint_id].find(isEndpointId);
    const branchId = [object, ...around].flatMap(branchesIn).find((id) => id !== undefined);
    if (endpointId === undefined || branchId === undefined || projectId === undefined) return [];
    // A project with a default endpoint has its sizes in a separate object.
    const settings = object.default_endpoint_id === endpointId ? firstOf(object.default_endpoint_settings) : object;
    return [{ projectId, endpointId, branchId, ...readSettings(settings, "read_write"), label, inside: address }];
  });
  // A project may contain an endpoint's id twice.
  return [...new Map(all.map((one) => [one.endpointId, one])).values()];
}

/** True for a project, or a branch that mentions an endpoint, from which no endpoint was read. */
function isLeftOut(instance: Instance): boolean {
  const { type, values } = instance;
  const mayHave =
    type === "neon_project" || [values.endpoint, values.endpoints].some((one) => objectsIn(one).length > 0);
  return mayHave && endpointsInside(instance).length === 0;
}

function leftOutOf({ type, address, values }: Instance) {
  return { address, projectId: projectOf({ type, values }) };
}

function projectOf({ type, values }: Pick<Instance, "type" | "values">): string | undefined {
  const id = type === "neon_project" ? values.id : values.project_id;
  return typeof id === "string" && isId(id) ? id : undefined;
}

/** All objects within a value, each with its enclosing objects, nearest first. */
function objectsIn(value: unknown, around: readonly Values[] = []): { object: Values; around: readonly Values[] }[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((part) => objectsIn(part, around));
  const object = value as Values;
  return [{ object, around }, ...Object.values(object).flatMap((part) => objectsIn(part, [object, ...around]))];
}

function firstOf(value: unknown): Values {
  const [first] = Array.isArray(value) ? value : [value];
  return isRecord(first) ? first : {};
}

function branchesIn({ id, branch_id, default_branch_id }: Values): (string | undefined)[] {
  return [branch_id, id, default_branch_id].map((one) =>
    typeof one === "string" && one.startsWith("br-") && isId(one) ? one : undefined,
  );
}

function isEndpointId(id: unknown): id is string {
  return typeof id === "string" && id.startsWith("ep-") && isId(id);
}

function readSettings(values: Values, type: Found["type"]): Pick<Found, "type" | "said" | "isPooled"> {
  const read = (...names: string[]) => names.map((name) => values[name]).find((one) => typeof one === "number");
  const settings = settingsOf({
    autoscalingLimitMinCu: read("autoscaling_limit_min_cu", "min_cu"),
    autoscalingLimitMaxCu: read("autoscaling_limit_max_cu", "max_cu"),
    suspendTimeoutSeconds: read("suspend_timeout_seconds", "suspend_timeout"),
  });
  const isPooled = typeof values.host === "string" && /^[^.]*-pooler\./.test(values.host);
  return { type, said: { type, ...settings }, ...(isPooled && { isPooled }) };
}

/** A label from an address: `module.shop.neon_endpoint.pr["101"]` becomes `shop-pr-101`. */
function labelOf(module: string | undefined, name: string, index: string | number | undefined): string {
  const modules = module?.replace(/(^|\.)module\./g, "$1") ?? "";
  return [modules, name, index].filter((part) => part !== undefined && part !== "").join("-");
}
