import { z } from "zod";

/** Filters of the table: endpoints in a state (specification, section 3.2), or with open operations (`changing`). */
export const filters = ["init", "active", "idle", "stopped", "changing"] as const;

/** One of the filters. */
export type Filter = (typeof filters)[number];

/** Query of the console's view. The page's address has the same parameters, so invalid values count as absent. */
export const viewQuery = z.object({
  /** Id of a project. Default the first. */
  project: z.string().max(60).optional().catch(undefined),
  /** Part of a branch's id or name, or of an endpoint's id, name or host, in any case. Default all. */
  search: z.string().max(200).optional().catch(undefined),
  filter: z.enum(filters).optional().catch(undefined),
  /** Page of the endpoints, from 1; beyond the end the last one. */
  page: z.coerce.number().int().min(1).max(1e6).catch(1),
  /** Operations older than this, in microseconds since the epoch. Default the latest. */
  before: z.coerce.number().int().min(0).optional().catch(undefined),
});

/** The query of the page. */
export type ViewQuery = z.output<typeof viewQuery>;
