/** What `pulumi stack export` prints, as far as resources are moved in it; the rest stays untouched. */
import { z } from "zod";
import { nameOfUrn } from "../../provider/lib/owner";
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
  taint: z.boolean().optional(),
  protect: z.boolean().optional(),
  retainOnDelete: z.boolean().optional(),
});

const exported = z.looseObject({
  version: z.literal([3, 4]),
  deployment: z.looseObject({
    resources: z.array(resource).optional(),
    pending_operations: z.array(z.looseObject({ resource })).nullish(),
  }),
});

/** A resource of a state. */
export type StoredResource = z.infer<typeof resource>;

/** A stack's whole state. */
export type StackExport = z.infer<typeof exported>;

/** Reads an export. Throws a `CommandError` for text that is none. */
export function parseStackExport(text: string): StackExport {
  return parseState(text, exported, "what `pulumi stack export` prints");
}

/** The resources of an export, in their order. */
export function resourcesOf({ deployment }: StackExport): StoredResource[] {
  return deployment.resources ?? [];
}

/** The resources of a kind that are there to stay, so without those that a replacement left behind. */
export function staying(state: StackExport, isOfKind: (type: string) => boolean): StoredResource[] {
  return resourcesOf(state).filter(({ type, delete: leaves }) => !leaves && isOfKind(type));
}

/** Why a resource of this name cannot be moved as it stands; nothing where it can. */
export function unsettledReasons(state: StackExport, { urn, ...one }: StoredResource, name: string): string[] {
  if (one.external) return [`${name} is only read by this stack, which does not own it`];
  const pending = state.deployment.pending_operations ?? [];
  if (pending.some((operation) => operation.resource.urn === urn)) {
    return [`${name} has an operation of an interrupted run; run \`pulumi refresh --clear-pending-creates\` first`];
  }
  const isLeaving = resourcesOf(state).some((other) => other.urn === urn && other.delete);
  if (isLeaving || one.pendingReplacement) return [`${name} is half replaced; run \`pulumi up\` first`];
  if (one.taint) return [`${name} is marked to be replaced; run \`pulumi state untaint '${urn}'\` first`];
  const child = resourcesOf(state).find(({ parent }) => parent === urn);
  return child ? [`${name} is the parent of ${nameOfUrn(child.urn)}; give that another parent first`] : [];
}
