import { ApiError } from "../errors";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";

/**
 * Refuses a change (423, or what `lockStatus` says) while a related operation is open (section 7): one of the given
 * endpoints and branches, or with `lock: "project"` any of the project.
 */
export function assertUnlocked(platform: Platform, project: Project, targets: readonly string[]): void {
  const { lock, lockStatus } = platform.settings;
  if (project.deleting) throw new ApiError(lockStatus, "", `project ${project.record.id} is being deleted`);
  if (lock === "none") return;
  const busy = lock === "project" ? [...project.open.keys()][0] : targets.find((target) => project.open.has(target));
  if (busy === undefined) return;
  const operation = [...(project.open.get(busy) ?? [])][0];
  throw new ApiError(
    lockStatus,
    "",
    `${busy} is busy: operation ${operation?.id ?? ""} (${operation?.action ?? ""}) is ${operation?.status ?? "open"}; ` +
      "wait until it has ended",
  );
}
