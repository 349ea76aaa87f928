/** The bodies of requests for branches (public facts). */

import { z } from "zod";
import type { BranchUpdate } from "../lifecycle/change-branch";
import type { NewBranch } from "../lifecycle/create-branch";
import { type BodyContext, object, optionalText } from "./body";
import { branchEndpoint } from "./endpoint-body";
import { scalars } from "./form";

/** The body of a create request; all of it is optional. What branches of real data could be is taken and forgotten. */
export function createBranchBody(context: BodyContext): z.ZodType<NewBranch> {
  const { boolean } = scalars(context.dialect);
  const branch = object(context, {
    parent_id: optionalText(),
    name: optionalText(z.string().max(256)),
    protected: boolean.optional(),
    parent_lsn: z.string().optional(),
    parent_timestamp: z.string().optional(),
    archived: boolean.optional(),
    init_source: z.string().optional(),
    expires_at: z.string().optional(),
  });
  return object(context, {
    branch: branch.optional(),
    endpoints: z.array(branchEndpoint(context)).max(100).optional(),
    annotation_value: annotationValue.optional(),
  })
    .optional()
    .transform((body) => ({
      ...(body?.branch?.name !== undefined && { name: body.branch.name }),
      ...(body?.branch?.parent_id !== undefined && { parentId: body.branch.parent_id }),
      ...(body?.branch?.protected !== undefined && { protected: body.branch.protected }),
      ...(body?.annotation_value && { annotation: body.annotation_value }),
      endpoints: body?.endpoints ?? [],
    }));
}

/** `{branch}` of an update request. */
export function updateBranchBody(context: BodyContext): z.ZodType<BranchUpdate> {
  const { boolean } = scalars(context.dialect);
  const branch = object(context, {
    name: z.string().min(1).max(256).optional(),
    protected: boolean.optional(),
    expires_at: z.string().nullable().optional(),
  });
  return object(context, { branch }).transform((body) => {
    const { expires_at: _forgotten, ...update } = body.branch;
    return update;
  });
}

/** What a client notes beside a branch: texts by name. */
export const annotationValue = z.record(z.string(), z.string());
