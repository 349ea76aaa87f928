/** A person, who does what messages say; with a fleet also until the program is in force. */
import { expect } from "vitest";
import type { EndpointState } from "../../emulator";
import type { FleetProgram, Options, Run, useStack } from "./stack";

const TAKE_UP_COMMAND = "PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up";

type Used = Pick<Awaited<ReturnType<typeof useStack>>, "stack" | "admin" | "projectId">;

/** What messages ask for, as a person reads them: before the next run, or by its options. */
export function askedBy(messages: readonly string[]) {
  const text = messages.join("\n");
  return {
    adoptInterrupted: text.includes(TAKE_UP_COMMAND),
    refreshes: /^ +pulumi refresh$|`pulumi refresh`/m.test(text),
    /** The endpoint to delete, where a command has its id. */
    left: /^ +npx --no-install pgcompute endpoints delete \S+\/(ep-\S+)/m.exec(text)?.[1],
  };
}

/** A preview and an `up`, in separate processes, with equal messages and plans; a refusal changes nothing. */
export async function upped({ stack, admin, projectId }: Used, program: FleetProgram, options?: Options): Promise<Run> {
  const everything = () => JSON.stringify(admin.project(projectId).endpoints);
  const before = everything();
  const preview = await stack.preview(program, options);
  const up = await stack.up(program, options);
  expect(up.error?.message).toBe(preview.error?.message);
  expect(up.isChanged).toBe(preview.isChanged);
  if (up.error) expect(everything()).toBe(before);
  return up;
}

/** Follows the messages until the program is applied, confirmed by a preview; returns the commands used. */
export async function settle(used: Used, program: FleetProgram): Promise<string[]> {
  const { stack, admin } = used;
  const ways: string[] = [];
  for (;;) {
    const { error, said } = await upped(used, program, { adoptInterrupted: ways.includes("take up") });
    const messages = [error?.message ?? "", ...said];
    const { adoptInterrupted, refreshes, left } = askedBy(messages);
    if (adoptInterrupted) {
      expect(messages.join().split(TAKE_UP_COMMAND)).toHaveLength(2);
      ways.push("take up");
    } else if (refreshes) {
      expect((await stack.refresh()).error).toBeUndefined();
      ways.push("refresh");
    } else if (left) {
      admin.dropEndpoint(left);
      ways.push("delete");
    } else {
      expect(error).toBeUndefined();
      break;
    }
    expect(ways.length).toBeLessThan(5);
  }
  expectExactly(used, program);
  expect((await stack.preview(program)).isChanged).toBe(false);
  return ways;
}

/** By key, where the endpoints of the state stand. */
export function places({ stack, admin }: Used): Record<string, string> {
  const placeOf = ({ branch_id, type }: EndpointState) => `${branch_id} ${type}`;
  return Object.fromEntries(
    Object.entries(stack.endpoints()).map(([key, one]) => [key, placeOf(admin.endpoint(String(one.endpointId)))]),
  );
}

/** The endpoints of the state stand where the program says, and its branches have no others. */
export function expectExactly(used: Used, { fleet }: FleetProgram): void {
  const { endpoints, defaults } = fleet.args;
  const members = Object.entries(endpoints);
  const usual = defaults?.type ?? "read_write";
  const wanted = members.map(([key, { branchId, type = usual }]) => [key, `${branchId} ${type}`] as const);
  expect(places(used)).toEqual(Object.fromEntries(wanted));
  const branches = new Set(members.map(([, { branchId }]) => branchId));
  const there = used.admin.project(used.projectId).endpoints.filter(({ branch_id }) => branches.has(branch_id));
  expect(there).toHaveLength(wanted.length);
}
