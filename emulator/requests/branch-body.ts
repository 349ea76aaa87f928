/** Bodies of branch requests (specification, section 4.7, published). */

import { z } from "zod";
import type { BranchUpdate } from "../lifecycle/change-branch";
import type { NewBranch } from "../lifecycle/create-branch";
import { type BodyContext, object, optionalText } from "./body";
import { branchEndpoint } from "./endpoint-body";
import { scalars } from "./form";

/** A time (RFC 3339). */
const time = z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T12:00:00Z" });

/** The body of a create request, all optional. */
export function createBranchBody(context: BodyContext): z.ZodType<NewBranch> {
  const { boolean } = scalars(context.dialect);
  const branch = object(context, {
    parent_id: optionalText(),
    name: optionalText(z.string().max(256)),
    protected: boolean.optional(),
    parent_lsn: optionalText(),
    parent_timestamp: optionalText(time),
    archived: boolean.optional(),
    init_source: optionalText(z.enum(["parent-data", "schema-only"])),
    expires_at: optionalText(time),
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
      ...(body?.branch?.expires_at !== undefined && { expiresAt: body.branch.expires_at }),
      ...otherData(body?.branch ?? {}),
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
    expires_at: time.nullable().optional(),
  });
  return object(context, { branch }).transform((body) => body.branch);
}

/** A branch's annotations: texts by name, up to the published maximum. */
export const annotationValue = z
  .record(z.string(), z.string())
  .refine((value) => Object.keys(value).length <= 50, { error: "must have at most 50 texts" });

function otherData(branch: { parent_lsn?: unknown; parent_timestamp?: unknown; init_source?: unknown }) {
  const { parent_lsn, parent_timestamp, init_source } = branch;
  const all = { parent_lsn, parent_timestamp, init_source: init_source === "parent-data" ? undefined : init_source };
  const field = Object.entries(all).find(([, value]) => value !== undefined)?.[0];
  return field === undefined ? {} : { otherData: field };
}
