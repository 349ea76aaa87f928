/** A create that a fault strikes. */
import type { CallEffect } from "../../../index";
import { freeBranch, type Opened } from "./open-emulator";

/** Asks for an endpoint on a branch of its own, which a rule strikes once. */
export function strikeCreate(
  emulator: Opened,
  effect: CallEffect,
): Promise<{ status: number; text: string; headers: Headers }> {
  emulator.admin.addFault({ route: "endpoints.create", count: 1, effect });
  const json = { endpoint: { branch_id: freeBranch(emulator), type: "read_write" } };
  return emulator.call("POST", "{p}/endpoints", { json });
}

/** How many endpoints there are beside the one of the seed. */
export function createdOf(emulator: Opened): number {
  return emulator.admin.project(emulator.projectId).endpoints.length - 1;
}
