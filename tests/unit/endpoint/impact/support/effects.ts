import type { Impact } from "../../../../../provider/endpoint/impact/impact";

/** The names of the effects that an impact has, in a fixed order, so that a table can list them. */
export function effects({ restarts, dropsConnections, hostChanges, downtime }: Impact): string[] {
  return Object.entries({ restarts, dropsConnections, hostChanges, downtime })
    .filter(([, holds]) => holds)
    .map(([name]) => name);
}
