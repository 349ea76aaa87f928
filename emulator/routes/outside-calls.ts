/**
 * The published calls that the emulator does not have (specification, section 4, published): most are about a Postgres, of
 * which there is none. They are told from paths that nobody knows, since clients take a 404 for a missing thing and go on
 * from there.
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

/** Whether a path below the base address is that of a published call which the emulator does not have. */
export function isOutside(path: string): boolean {
  return outside.some((pattern) => pattern.test(path));
}
