import { z } from "zod";
import type { BranchRecord, ProjectRecord } from "../records";
import { id, optional, optionalText, present } from "./fields";

/** A project (public facts, calls). */
export const projectSchema = z
  .object({ id, name: optionalText(), region_id: optionalText() })
  .transform((wire): ProjectRecord => present({ id: wire.id, name: wire.name, regionId: wire.region_id }));

/** A branch (public facts, calls). Newer platforms call the primary branch the default one. */
export const branchSchema = z
  .object({
    id,
    project_id: id,
    name: optionalText(),
    primary: optional(z.boolean()),
    default: optional(z.boolean()),
  })
  .transform(
    (wire): BranchRecord =>
      present({
        id: wire.id,
        projectId: wire.project_id,
        name: wire.name,
        primary: wire.primary ?? wire.default,
      }),
  );
