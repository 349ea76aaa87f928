/** How Pulumi's engine marks values that JSON does not have: an object whose SIGNATURE says what it stands for. */

/** The key of the mark. */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** A secret: its value is beside the mark, in one form or another. */
export const SECRET_MARK = "1b47061264138c4ac30d75fd1eb44270";

/** An output, which may be unknown, secret, or both. */
export const OUTPUT_MARK = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

/** A reference to a resource, by URN and id. */
export const REFERENCE_MARK = "5cf8f73096256a8f31e491e813e4eb8e";
