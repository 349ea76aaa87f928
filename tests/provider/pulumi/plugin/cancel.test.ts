import { expect, it } from "vitest";
import { useService } from "./support/open-service";

const service = useService();

it("Cancel ends a function that waits for the platform", async () => {
  const { admin, projectId } = service.emulator;
  await service.configure();
  admin.addFault({ route: "endpoints.list", effect: { kind: "stall-headers" } });
  const failure = service.failureOf("invoke", { tok: "pgcompute:index:getEndpoints", args: { projectId } });
  while (admin.counts().byRoute["endpoints.list"] !== 1) await new Promise((resolve) => setImmediate(resolve));
  await service.call("cancel");
  expect((await failure).details).toMatch(/interrupted/);
});
