/** The endpoints to write to a file, and their names in it. */
import type { EndpointProperty } from "../../provider/endpoint/properties";
import { byKey, KEY_PATTERN, type MemberOption } from "../../provider/fleet/model";
import type { EndpointRecord } from "../../provider/platform/records";

/** An endpoint to import, with the data for its program and its name. */
export interface Found extends Pick<EndpointRecord, "projectId" | "branchId" | "type"> {
  endpointId: string;
  /** A readable name: its branch, its address in Terraform, or its name in a stack. */
  label: string;
  /** Properties that the program sets, without the endpoint's place. */
  said: Partial<Record<EndpointProperty, unknown>>;
  /** The address of the Terraform project or branch that contains it. */
  inside?: string;
  /** True if the state's host is the pooled host. */
  isPooled?: boolean;
  /** The resource that created it, from its name. */
  madeFor?: string | undefined;
  /** Member options to write beside the properties. */
  options?: Partial<Record<MemberOption, unknown>>;
  /** Secret properties, which get placeholders in the file. */
  secret?: readonly EndpointProperty[];
}

/** An endpoint with a name unique in the file. */
export type Named = Found & { name: string };

/** Known sizes in CU and the delay in seconds. */
export interface Settings {
  autoscalingLimitMinCu?: number | undefined;
  autoscalingLimitMaxCu?: number | undefined;
  suspendTimeoutSeconds?: number | undefined;
}

const LONGEST = 63;

/** Names that YAML 1.1 or 1.2 reads as another type, that a generated program has for a module, or that its strict mode refuses. */
const TAKEN = /^(?:null|true|false|yes|no|on|off|y|n|pulumi|pgcompute|arguments|eval|let|static)$/i;

/**
 * Gives each endpoint a name for a fleet key or a resource: its label, numbered where not unique. A name begins with a
 * letter, and is a string in YAML and an identifier in a program. The result is stable.
 */
export function nameAll(found: readonly Found[]): Named[] {
  const taken = new Set<string>();
  const inOrder = [...found].sort((a, b) => byKey(a.label, b.label) || byKey(a.endpointId, b.endpointId));
  return inOrder.map((one) => {
    const stem = asName(asKey(one.label) ?? one.endpointId);
    let name = stem;
    for (let number = 2; taken.has(bare(name)); number += 1) {
      const mark = `-${number}`;
      name = stem.slice(0, LONGEST - mark.length) + mark;
    }
    taken.add(bare(name));
    return { ...one, name };
  });
}

/** The size and delay properties to write. A single limit is no size and is left out. */
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

/** The key with a word before it where YAML takes it for a number, a date or a constant. */
function asName(key: string): string {
  return /^[a-z]/i.test(key) && !TAKEN.test(key) ? key : `endpoint-${key}`.slice(0, LONGEST);
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
