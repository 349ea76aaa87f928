import { expect, it } from "vitest";
import type { ProjectContents } from "../../index";
import { openEmulator } from "./support/open-emulator";

const projects: ProjectContents[] = [
  {
    id: "shop",
    name: "the shop",
    plan: "free",
    branchId: "br-shop",
    endpointId: "ep-shop",
    branches: [
      { id: "br-one", name: "one" },
      { id: "br-two", name: "two", parentId: "br-one", endpoint: { id: "ep-two", suspend_timeout_seconds: 60 } },
    ],
    endpoints: [{ id: "ep-one", branch_id: "br-one", current_state: "active", name: "first" }],
  },
  { id: "other", endpoint: false },
];

it("an emulator starts with the contents that it is given, and a reset goes back to them", async () => {
  const emulator = await openEmulator({ projects });
  expect(emulator).toMatchObject({ projectId: "shop", branchId: "br-shop", endpointId: "ep-shop" });
  const before = JSON.stringify(emulator.admin.state());
  expect(emulator.admin.project("shop")).toMatchObject({
    plan: "free",
    branches: [{ id: "br-shop" }, { id: "br-one", name: "one" }, { id: "br-two", parent_id: "br-one" }],
    endpoints: [{ id: "ep-shop" }, { id: "ep-two" }, { id: "ep-one", name: "first", current_state: "active" }],
  });
  emulator.admin.dropEndpoint("ep-two");
  await emulator.call("DELETE", "/projects/other");
  emulator.admin.advance(5000);
  emulator.reset();
  expect(JSON.stringify(emulator.admin.state())).toBe(before);
});
