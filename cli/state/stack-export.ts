/** The model of `pulumi stack export`: only the fields that are read. */
import { z } from "zod";
import { parseState } from "../input";

const values = z.record(z.string(), z.unknown());

const resource = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  inputs: values.optional(),
  outputs: values.optional(),
  /** True for a resource that the program only reads. */
  external: z.boolean().optional(),
  /** True for a copy that a replacement left behind. */
  delete: z.boolean().optional(),
  pendingReplacement: z.boolean().optional(),
  protect: z.boolean().optional(),
  retainOnDelete: z.boolean().optional(),
});

const exported = z.object({
  version: z.literal([3, 4]),
  deployment: z.object({ resources: z.array(resource).optional() }),
});

/** A resource of a state. */
export type StoredResource = z.infer<typeof resource>;

/** A stack's whole state. */
export type StackExport = z.infer<typeof exported>;

/** Parses an export. Throws a `CommandError` for other text. */
export function parseStackExport(text: string): StackExport {
  return parseState(text, exported, "what `pulumi stack export` prints");
}

/** The resources of an export, in their order. */
export function resourcesOf({ deployment }: StackExport): StoredResource[] {
  return deployment.resources ?? [];
}
