import { expect, it } from "vitest";
import { create, read } from "../../provider/pulumi/lifecycle";
import { useBench } from "../support/bench";
import { MIB } from "./support/measure";

const BYTES = 100 * MIB;
const maxAnswerBytes = 32 * MIB;

it("reads no more of a body of 100 MB than the bound, and finds what the call has made", async () => {
  const bench = await useBench();
  const { admin, projectId } = bench.emulator;
  const inputs = { projectId, branchId: bench.branch(), type: "read_write" as const };
  const context = bench.context({ account: bench.account({ maxAnswerBytes }) });
  admin.addFault({ route: "endpoints.create", effect: { kind: "huge-body", bytes: BYTES } });
  const { id, state } = await bench.run(create(context, inputs));
  expect(bench.on(inputs.branchId).map((endpoint) => `${projectId}/${endpoint.id}`)).toEqual([id]);
  expect(admin.log({ method: "POST" })).toHaveLength(1);

  admin.addFault({ route: "endpoints.list", effect: { kind: "huge-body", bytes: BYTES } });
  const other = bench.context({ account: bench.account({ maxAnswerBytes }) });
  const error = await bench.fails(read(other, { id, state }));
  expect(error).toMatchObject({ kind: "answer_too_large" });
  expect(error.message).toContain("larger than 33554432 bytes");
});
