/** The parsed part of what `pulumi stack export` prints; the rest stays untouched. */
import { z } from "zod";
import { parseState } from "../input";

const values = z.record(z.string(), z.unknown());

const resource = z.looseObject({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  inputs: values.optional(),
  outputs: values.optional(),
  /** True for one that the program only reads. */
  external: z.boolean().optional(),
  parent: z.string().optional(),
  provider: z.string().optional(),
  dependencies: z.array(z.string()).nullish(),
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullable()).nullish(),
  deletedWith: z.string().optional(),
  replaceWith: z.array(z.string()).nullish(),
  /** A copy that a replacement left behind. */
  delete: z.boolean().optional(),
  pendingReplacement: z.boolean().optional(),
  protect: z.boolean().optional(),
  retainOnDelete: z.boolean().optional(),
});

const exported = z.looseObject({
  version: z.literal([3, 4]),
  deployment: z.looseObject({ resources: z.array(resource).optional() }),
});

/** A resource of a state. */
export type StoredResource = z.infer<typeof resource>;

/** A stack's whole state. */
export type StackExport = z.infer<typeof exported>;

/** Reads an export. Throws a `CommandError` for text that is none. */
export function parseStackExport(text: string): StackExport {
  parseState(text, exported, "what `pulumi stack export` prints");
  // Returns the raw JSON. The model's output drops names such as `__proto__`, and fields that nobody asked to change have to survive.
  return JSON.parse(text);
}

/** The resources of an export, in their order. */
export function resourcesOf({ deployment }: StackExport): StoredResource[] {
  return deployment.resources ?? [];
}
