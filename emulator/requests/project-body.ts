/** Bodies of project requests (specification, section 4, published). */

import { z } from "zod";
import type { ProjectUpdate } from "../lifecycle/change-project";
import type { NewProject } from "../lifecycle/create-project";
import { isLoginName } from "../model/project";
import { type BodyContext, idText, object, optionalText, present, regionText } from "./body";
import { annotationValue } from "./branch-body";
import { preloadLibraries, suspendTimeout } from "./endpoint-body";
import { scalars } from "./form";

const name = z.string().min(1).max(256);
const loginName = z.string().refine(isLoginName, { error: "cannot be the name of a role or a database" });

/** `{project}` of a create request. Without Postgres, names of a role and a database have no effect. */
export function createProjectBody(context: BodyContext): z.ZodType<NewProject> {
  const { number, integer, boolean } = scalars(context.dialect);
  const branch = object(context, {
    name: name.optional(),
    role_name: loginName.optional(),
    database_name: loginName.optional(),
    annotations: annotationValue.optional(),
  });

  const project = object(context, {
    ...sharedFields(context),
    branch: branch.optional(),
    autoscaling_limit_min_cu: number.optional(),
    autoscaling_limit_max_cu: number.optional(),
    region_id: optionalText(regionText),
    pg_version: integer.pipe(z.int().min(14).max(18)).optional(),
    provisioner: optionalText(),
    store_passwords: boolean.optional(),
    org_id: optionalText(idText),
  });

  return object(context, { project }).transform(({ project: wire }) => {
    const { autoscaling_limit_min_cu, autoscaling_limit_max_cu, ...fields } = wire;
    return present({ ...fields, endpoint: present({ autoscaling_limit_min_cu, autoscaling_limit_max_cu }) });
  });
}

/** `{project}` of an update request. */
export function updateProjectBody(context: BodyContext): z.ZodType<ProjectUpdate> {
  return object(context, { project: object(context, sharedFields(context)) }).transform(({ project }) => project);
}

function sharedFields(context: BodyContext) {
  const { number, integer, textMap } = scalars(context.dialect);
  return {
    name: name.optional(),
    history_retention_seconds: integer.pipe(z.int().min(0).max(2_592_000)).optional(),
    settings: projectSettings(context).optional(),
    default_endpoint_settings: object(context, {
      autoscaling_limit_min_cu: number.optional(),
      autoscaling_limit_max_cu: number.optional(),
      suspend_timeout_seconds: suspendTimeout(integer, context.settings).optional(),
      pg_settings: textMap.optional(),
      pgbouncer_settings: textMap.optional(),
    }).optional(),
  };
}

// Stored and returned, without effect.
function projectSettings(context: BodyContext) {
  const { integer, boolean } = scalars(context.dialect);
  const amount = integer.pipe(z.int().min(0)).optional();
  return object(context, {
    quota: object(context, {
      active_time_seconds: amount,
      compute_time_seconds: amount,
      written_data_bytes: amount,
      data_transfer_bytes: amount,
      logical_size_bytes: amount,
    }).optional(),
    allowed_ips: object(context, {
      ips: z.array(z.string()).optional(),
      protected_branches_only: boolean.optional(),
    }).optional(),
    maintenance_window: object(context, {
      weekdays: z.array(integer),
      start_time: z.string(),
      end_time: z.string(),
    }).optional(),
    preload_libraries: preloadLibraries(context).optional(),
    enable_logical_replication: boolean.optional(),
    block_public_connections: boolean.optional(),
    block_vpc_connections: boolean.optional(),
    audit_log_level: z.enum(["base", "extended", "full"]).optional(),
    hipaa: boolean.optional(),
  });
}
