/** The parts of a URN, `urn:pulumi:STACK::PROJECT::TYPE::NAME`. */

const DELIMITER = "::";

/** A resource's own name: all that follows the type, which may hold the delimiter itself. */
export function nameOf(urn: string): string {
  return urn.split(DELIMITER).slice(3).join(DELIMITER);
}

/** The stack and the project that a resource belongs to; each is absent where the text is no URN. */
export function ownerOf(urn: string): { stack?: string; project?: string } {
  const [first = "", project, type] = urn.split(DELIMITER);
  const stack = first.startsWith("urn:pulumi:") ? first.slice("urn:pulumi:".length) : "";
  return type === undefined ? {} : { ...(stack && { stack }), ...(project && { project }) };
}
