/**
 * Whether an endpoint that was made for somebody is taken up for whom it was made. A name tells for whom an endpoint was made, not whose
 * it is now, so that the name alone takes nothing: somebody has to say so (docs/decisions/0003-endpoints-of-interrupted-runs.md).
 */
import type { EndpointRecord } from "../platform/records";

/** What is known of the endpoints that bear an owner's name. */
export interface TakeUpRequest {
  /** Those that stand where the program wants one, newest first; none that is another's for certain before this owner's turn. */
  made: readonly EndpointRecord[];
  /**
   * True for one that this run has met as another's, in an order that nobody knows: the next run may meet that owner later, and has to
   * come to the same.
   */
  isAnothers?(record: EndpointRecord): boolean;
  /** Whether the program or the person says that what an interrupted run has made is taken up. */
  isSaid: boolean;
  /** The owner's own endpoint, where this run has been shown it: it is replaced, and goes on. */
  metId?: string | undefined;
  /** True for what a create of this very run has made, whose answer was lost. */
  isOfThisRun?(record: EndpointRecord): boolean;
}

/** An endpoint that is not taken up, as nobody says so. */
export interface LeftEndpoint {
  /** The member that it was made for; absent for a resource. */
  key?: string;
  record: EndpointRecord;
}

/** Why nothing is created where endpoints are that may be an interrupted run's: some are there, and nobody says that they are taken up. */
export interface LeftRefusal {
  kind: "left";
  left: readonly LeftEndpoint[];
  /** True where nothing old is known of whoever is refused, so that a replacement by force may be asked for. */
  isNew: boolean;
}

/** The endpoint that is taken up, or those that nobody says so of. */
export function decideTakeUp({ made, isAnothers, isSaid, metId, isOfThisRun }: TakeUpRequest): {
  takes?: EndpointRecord | undefined;
  left: readonly EndpointRecord[];
} {
  const own = made.find(({ id }) => id === metId) ?? made.find((record) => isOfThisRun?.(record));
  const [newest] = made;
  const takes = own ?? (isSaid && newest && !isAnothers?.(newest) ? newest : undefined);
  return { takes, left: takes ? [] : made };
}
