/** Memory and connections of compute sizes. */
import { GB_PER_CU, type Profile, type ProfileName, sizesUpTo } from "../../platform/profiles/profile";
import { limitsOf } from "../../platform/profiles/profiles";

/** The resources of a fixed size (specification, section 2.4). */
export interface ComputeSize {
  /** Compute units. */
  cu: number;
  /** Virtual CPUs. */
  vcpu: number;
  /** RAM in GB: four times `vcpu`. */
  memoryGb: number;
  /** Guideline for the local file cache, in GB of RAM: a larger working set can exhaust the compute's memory. */
  sharedBuffersGuidelineGb: number;
  /** Postgres max_connections of this fixed size. */
  maxConnections: number;
  /** The platform of these figures. */
  platform: ProfileName;
}

/** A platform's sizes, smallest first. */
export function computeSizesOf(profile: Profile): ComputeSize[] {
  return sizesUpTo(limitsOf(profile, undefined).largestCu).flatMap((cu) => {
    const maxConnections = profile.maxConnections(cu, cu);
    if (maxConnections === undefined) return [];
    const memoryGb = GB_PER_CU * cu;
    const sharedBuffersGuidelineGb = profile.cacheShare * memoryGb;
    return [{ cu, vcpu: cu, memoryGb, sharedBuffersGuidelineGb, maxConnections, platform: profile.name }];
  });
}

/** The resources of a size in CU; undefined for a size that the platform lacks. */
export function getComputeSize(cu: number, profile: Profile): ComputeSize | undefined {
  return computeSizesOf(profile).find((size) => size.cu === cu);
}
