/**
 * Published calls that the emulator lacks (specification, section 4, published), mostly about Postgres. They answer
 * differently from unknown paths, since clients take a 404 for a missing object and go on. `recover` of a branch is in
 * the description of 2.7.3 and gone from later ones.
 */

const ofAccount = "api_keys|regions|auth|organizations|consumption_history|users/me|projects/auth";

const ofProject =
  "advisors|recover|permissions|transfer_requests|jwks|auth|connection_uri|" +
  "branch_anonymized|vpc_endpoints|snapshots";

const ofBranch =
  "data-api|auth|restore|schema|compare_schema|masking_rules|anonymized_status|anonymize|set_as_default|recover|" +
  "finalize_restore|databases|roles|snapshot|backup_schedule|buckets|storage|ai_gateway|credentials|functions";

const outside = [
  new RegExp(`^/(${ofAccount})(/|$)`),
  new RegExp(`^/projects/[^/]+/(${ofProject})(/|$)`),
  new RegExp(`^/projects/[^/]+/branches/[^/]+/(${ofBranch})(/|$)`),
];

/** True for the path, below the base address, of a published call that the emulator lacks. */
export function isOutside(path: string): boolean {
  return outside.some((pattern) => pattern.test(path));
}
