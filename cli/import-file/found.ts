/** The endpoints that a file is written for, and their names in it. */
import type { EndpointProperty } from "../../provider/endpoint/properties";
import { byKey, KEY_PATTERN, type MemberOption } from "../../provider/fleet/model";
import type { EndpointRecord } from "../../provider/platform/records";

/** An endpoint to import: what a program may say of it, and what its name is made of. */
export interface Found extends Pick<EndpointRecord, "projectId" | "branchId" | "type"> {
  endpointId: string;
  /** A readable name: its branch, its address in Terraform, or its name in a stack. */
  label: string;
  /** Properties that the program sets, without the endpoint's place. */
  said: Partial<Record<EndpointProperty, unknown>>;
  /** The address of the project or the branch in Terraform that has it inside. */
  inside?: string;
  /** True where the state has its pooled host as the host. */
  isPooled?: boolean;
  /** For whom it was created, by the mark in its name. */
  madeFor?: string | undefined;
  /** Member options that the fleet sets in addition to the properties. */
  options?: Partial<Record<MemberOption, unknown>>;
  /** Secret properties. The import file has placeholders for them that the user fills in. */
  secret?: readonly EndpointProperty[];
}

/** An endpoint with a name that no other one of the file has. */
export type Named = Found & { name: string };

/** Sizes in compute units and the delay in seconds, as far as they are known. */
export interface Settings {
  autoscalingLimitMinCu?: number | undefined;
  autoscalingLimitMaxCu?: number | undefined;
  suspendTimeoutSeconds?: number | undefined;
}

const LONGEST = 63;

/**
 * Names for endpoints, as keys of a fleet and as resources: their labels, numbered where several are the same, ignoring case and marks,
 * which variables of a program lack. The same endpoints get the same names again.
 */
export function nameAll(found: readonly Found[]): Named[] {
  const taken = new Set<string>();
  const inOrder = [...found].sort((a, b) => byKey(a.label, b.label) || byKey(a.endpointId, b.endpointId));
  return inOrder.map((one) => {
    const stem = asKey(one.label) ?? one.endpointId;
    let name = stem;
    for (let number = 2; taken.has(bare(name)); number += 1) {
      const mark = `-${number}`;
      name = stem.slice(0, LONGEST - mark.length) + mark;
    }
    taken.add(bare(name));
    return { ...one, name };
  });
}

/** The size and delay properties to write for an endpoint. A single limit is not a size, so none is written. */
export function settingsOf({
  autoscalingLimitMinCu,
  autoscalingLimitMaxCu,
  suspendTimeoutSeconds,
}: Settings): Found["said"] {
  const hasSizes = autoscalingLimitMinCu !== undefined && autoscalingLimitMaxCu !== undefined;
  return {
    ...(hasSizes && { autoscalingLimitMinCu, autoscalingLimitMaxCu }),
    ...(suspendTimeoutSeconds !== undefined && { suspendTimeoutSeconds }),
  };
}

function asKey(label: string): string | undefined {
  const key = label
    .replace(/[^A-Za-z0-9._]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|-+$/g, "")
    .slice(0, LONGEST);
  return KEY_PATTERN.test(key) ? key : undefined;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
