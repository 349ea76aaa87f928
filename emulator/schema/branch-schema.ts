import { z } from "zod";
import type { NewBranch } from "../lifecycle/create-branch";
import { scalars } from "./dialect";
import { branchEndpoint, type SchemaContext } from "./endpoint-schema";

/**
 * The body of a create-branch request (public facts); all of it is optional. Fields that real clients add to the
 * branch are let through: what a branch can be is no part of the specification.
 */
export function createBranchBody(context: SchemaContext): z.ZodType<NewBranch> {
  const { boolean } = scalars(context.dialect);
  return z
    .looseObject({
      branch: z
        .looseObject({
          parent_id: z.string().optional(),
          name: z.string().max(256).optional(),
          protected: boolean.optional(),
        })
        .optional(),
      endpoints: z.array(branchEndpoint(context)).max(100).optional(),
      annotation_value: z.unknown().optional(),
    })
    .optional()
    .transform((body) => ({
      ...(body?.branch?.name && { name: body.branch.name }),
      ...(body?.branch?.parent_id && { parentId: body.branch.parent_id }),
      ...(body?.branch?.protected !== undefined && { protected: body.branch.protected }),
      endpoints: body?.endpoints ?? [],
    }));
}
