import { beforeAll, expect, it } from "vitest";
import { useService } from "./support/open-service";

const urn = "urn:pulumi:dev::test::pgcompute:index:Endpoint::main";
const service = useService();

beforeAll(() => service.configure());

/** The status lines so far, each of which takes the place of the one before it. */
function statusLines(): string[] {
  return service.lines.filter((line) => line.ephemeral && line.urn === urn).map(({ message }) => message);
}

it("says on the resource's own row what it waits for, and in the end that nobody waits any more", async () => {
  const { projectId, admin } = service.emulator;
  const { id: branchId } = admin.seedBranch(projectId);
  admin.addFault({ on: "operation", branchId, count: 1, effect: { kind: "slow", operationMs: 60_000 } });
  const creating = service.call("create", { urn, properties: { projectId, branchId, type: "read_write" } });
  await expect.poll(statusLines).not.toEqual([]);
  admin.advance(60_000);
  await creating;
  await expect.poll(() => statusLines().at(-1)).toBe("start_compute done");
  const before = statusLines().slice(0, -1);
  expect(before.filter((line) => !/^start_compute( scheduling)?, \d+ s$/.test(line))).toEqual([]);
});
