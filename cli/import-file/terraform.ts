/**
 * The endpoints of a Terraform state (its format 4), as the community's two providers keep them: `neon_endpoint` of
 * registry.terraform.io/providers/kislerdm/neon and of registry.terraform.io/providers/kenchan0130/neon, whose schemas agree in what is
 * read here. Nothing else of the state is read: it may hold secrets in the clear.
 */
import { z } from "zod";
import { isId } from "../../provider/lib/ids";
import { plain } from "../../provider/lib/wording";
import { unreadable } from "../exit-code";
import { parseState } from "../input";
import { type Found, settingsOf } from "./found";

const number = z
  .number()
  .nullish()
  .transform((value) => value ?? undefined);

const attributes = z.object({
  id: z.string(),
  project_id: z.string(),
  branch_id: z.string(),
  type: z.enum(["read_write", "read_only"]).nullish(),
  autoscaling_limit_min_cu: number,
  autoscaling_limit_max_cu: number,
  suspend_timeout_seconds: number,
});

const resource = z.object({
  mode: z.string(),
  type: z.string(),
  name: z.string(),
  module: z.string().optional(),
  instances: z.array(
    z.object({
      index_key: z.union([z.string(), z.number()]).optional(),
      /** Set for one that a replacement has left behind. */
      deposed: z.string().optional(),
      attributes: z.unknown(),
    }),
  ),
});

const state = z.object({ version: z.literal(4), resources: z.array(resource) });

/** The endpoints of a state. Throws a `CommandError` for text that is no such state, or that has an endpoint without what it takes. */
export function readTerraform(text: string): Found[] {
  const { resources } = parseState(text, state, "as in a state of Terraform, format 4");
  const endpoints = resources.filter(({ mode, type }) => mode === "managed" && type === "neon_endpoint");
  return endpoints.flatMap(({ module, name, instances }) =>
    instances.flatMap(({ index_key: index, deposed, attributes: values }) => {
      if (deposed !== undefined) return [];
      const place = index === undefined ? "" : `[${JSON.stringify(index)}]`;
      const address = `${module === undefined ? "" : `${module}.`}neon_endpoint.${name}${place}`;
      const { data, error } = attributes.safeParse(values);
      if (error)
        throw unreadable("state", `${address}: ${error.issues[0]?.path.join(".")} is missing or of another kind`);
      // One that was imported may have the id by which it was.
      const endpointId = data.id.split("/").at(-1) ?? "";
      const ids = { projectId: data.project_id, endpointId, branchId: data.branch_id };
      const wrong = Object.values(ids).find((id) => !isId(id));
      if (wrong !== undefined) throw unreadable("state", `${address}: "${plain(wrong)}" cannot be an id`);
      const type = data.type ?? "read_write";
      const settings = settingsOf({
        autoscalingLimitMinCu: data.autoscaling_limit_min_cu,
        autoscalingLimitMaxCu: data.autoscaling_limit_max_cu,
        suspendTimeoutSeconds: data.suspend_timeout_seconds,
      });
      return { ...ids, type, label: labelOf(module, name, index), said: { type, ...settings } };
    }),
  );
}

/** `module.shop.neon_endpoint.pr["101"]` is `shop-pr-101`. */
function labelOf(module: string | undefined, name: string, index: string | number | undefined): string {
  const modules = module?.replace(/(^|\.)module\./g, "$1") ?? "";
  return [modules, name, index].filter((part) => part !== undefined && part !== "").join("-");
}
