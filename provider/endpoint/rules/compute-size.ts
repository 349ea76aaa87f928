/** Memory and connections of a compute size. */
import { GB_PER_CU, type Profile, type ProfileName, sizesUpTo } from "../../platform/profiles/profile";
import { limitsOf } from "../../platform/profiles/profiles";

/** The resources of an endpoint of one size (specification, section 2.4). */
export interface ComputeSize {
  /** Compute units. */
  cu: number;
  /** Virtual processors. */
  vcpu: number;
  /** RAM in GB; always four times `vcpu`. */
  memoryGb: number;
  /** The part of the RAM, in GB, that the local file cache may use. A guideline: a working set beyond it can run the compute out of memory. */
  sharedBuffersGuidelineGb: number;
  /** The Postgres setting of that name, of an endpoint that is fixed at this size. */
  maxConnections: number;
  /** The platform that gives it. */
  platform: ProfileName;
}

/** The sizes of a platform, smallest first. */
export function computeSizesOf(profile: Profile): ComputeSize[] {
  return sizesUpTo(limitsOf(profile, undefined).largestCu).flatMap((cu) => {
    const maxConnections = profile.maxConnections(cu, cu);
    if (maxConnections === undefined) return [];
    const memoryGb = GB_PER_CU * cu;
    const sharedBuffersGuidelineGb = profile.cacheShare * memoryGb;
    return [{ cu, vcpu: cu, memoryGb, sharedBuffersGuidelineGb, maxConnections, platform: profile.name }];
  });
}

/** The resources of a size in compute units; undefined for a size that the platform does not list. */
export function getComputeSize(cu: number, profile: Profile): ComputeSize | undefined {
  return computeSizesOf(profile).find((size) => size.cu === cu);
}
