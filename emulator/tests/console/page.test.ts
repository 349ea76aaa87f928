import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openEmulator } from "../api/support/open-emulator";
import { row, shows, useBrowser } from "./support/open-console";

const open = useBrowser();

describe("the console", () => {
  it("shows the seeded project", async () => {
    const { page } = await open((await openEmulator()).consoleUrl);
    await shows(page, "ep-quiet-harbor-main", /Idle/);
    const cells = await row(page, "ep-quiet-harbor-main").locator("td").allInnerTexts();
    expect(cells.slice(0, -1).map((text) => text.replace(/\s+/g, " ").trim())).toEqual([
      "main primary br-quiet-harbor-main",
      "ep-quiet-harbor-main Read-write",
      "Idle",
      "0.25 CU autosuspend 300 s",
      "0 of 112",
      "ep-quiet-harbor-main.eu-central-1.aws.compute.test",
    ]);
    expect(await operations(page)).toEqual(["create_timeline | main | finished | 0.0 s | 2024-05-01 10:00:00"]);
    expect(await page.getByRole("region", { name: "quiet-harbor" }).innerText()).toMatch(
      /quiet-harbor\s+quiet-harbor-12345678\s+Paid plan\s+aws-eu-central-1\s+Postgres 17/,
    );
    expect(await page.locator("#now").innerText()).toBe("2024-05-01 10:00:00");
    expect(await page.locator("#project-choice").isVisible()).toBe(false);
  });

  it("follows what the API does, without a reload", async () => {
    const emulator = await openEmulator();
    const { page } = await open(emulator.consoleUrl);
    await shows(page, "ep-quiet-harbor-main", /Idle/);
    const branch = emulator.admin.seedBranch(emulator.projectId, { name: "feature/live" });
    await shows(page, branch.id, /feature\/live.*No endpoint/s);

    const size = { autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 2 };
    const wanted = { branch_id: branch.id, type: "read_write", ...size };
    const { endpoint } = (await emulator.call("POST", "{p}/endpoints", { json: { endpoint: wanted } })).body;
    const patch = (change: object) =>
      emulator.call("PATCH", `{p}/endpoints/${endpoint.id}`, { json: { endpoint: change } });
    await shows(page, endpoint.id, /feature\/live.*Init\s+starting\s+0.5 – 2 CU/s);
    expect(await row(page, branch.id).count()).toBe(0);
    expect((await operations(page))[0]).toBe(
      `start_compute | feature/live ${endpoint.id} | scheduling | 0.0 s | 2024-05-01 10:00:00`,
    );
    emulator.admin.advance(700);
    await page.locator("#operation-rows > :first-child", { hasText: /running.*0\.7 s/s }).waitFor();
    emulator.admin.advance(300);
    await shows(page, endpoint.id, /Active/);
    await page.getByText("None under way").waitFor();

    emulator.admin.connect({ endpointId: endpoint.id, connections: 7 });
    await shows(page, endpoint.id, /7 of 225/);
    await patch({ autoscaling_limit_min_cu: 1 });
    // Its compute has the new size when it is started again.
    await shows(page, endpoint.id, /Active\s+restarting.*1 – 2 CU.*0 of 225\s+7 dropped/s);
    emulator.admin.advance(2500); // its suspend has ended, its start has not
    await shows(page, endpoint.id, /Idle\s+restarting/);
    emulator.admin.advance(2500);
    await shows(page, endpoint.id, /Active(?!.*restarting).*0 of 450/s);
    await patch({ suspend_timeout_seconds: 60 });
    await shows(page, endpoint.id, /Active\s+being changed/);
    emulator.admin.advance(1000);
    await emulator.call("DELETE", `{p}/endpoints/${endpoint.id}`);
    await shows(page, branch.id, /No endpoint/);
  });

  it("shows a failure with its reason, a stopped endpoint with nothing to press, and after both a branch with none", async () => {
    const emulator = await openEmulator();
    const { admin, projectId } = emulator;
    admin.addFault({ on: "operation", effect: { kind: "fail", error: "no route to host" } });
    admin.startOperation({ projectId, action: "check_availability" });
    admin.advance(1000);
    const empty = admin.seedBranch(projectId, { id: "br-empty" });
    const used = admin.seedBranch(projectId, { id: "br-used" });
    const stopped = admin.seedEndpoint(projectId, { branch_id: used.id, disabled: true });
    const { page } = await open(emulator.consoleUrl);
    await shows(page, stopped.id, /disabled\s+Stopped/);
    await shows(page, empty.id, /No endpoint/);
    const texts = await page.locator("#endpoint-rows > tr").allInnerTexts();
    expect(texts.map((text) => /br-[a-z-]+/.exec(text)?.[0])).toEqual(["br-quiet-harbor-main", used.id, empty.id]);
    expect((await operations(page))[0]).toMatch(
      /^check_availability \| main \| failed failures: 1, no route to host, fault: fail \|/,
    );
    const buttons = row(page, stopped.id).getByRole("button", { disabled: false });
    expect(await buttons.count()).toBe(0);
  });

  it("shows the faults in force, and which of them an operation hangs by", async () => {
    const emulator = await openEmulator();
    const { admin, endpointId } = emulator;
    const { page } = await open(emulator.consoleUrl);
    await shows(page, endpointId, /Idle/);
    expect(await page.getByText("Faults in force").isVisible()).toBe(false);
    const id = admin.addFault({ on: "operation", action: "start_compute", effect: { kind: "hang" } });
    admin.addFault({ route: "endpoints.*", effect: { kind: "delay", ms: 10 } });
    admin.addFault({ route: "endpoints.*", count: 0, effect: { kind: "delay", ms: 10 } }); // used up
    admin.connect({ endpointId });
    admin.advance(5000);
    await page.locator("#operation-rows > :first-child", { hasText: /start_compute.*running.*fault: hang/s }).waitFor();
    expect(await page.locator("#faults > li").allInnerTexts()).toEqual([
      `hang on start_compute (${id}, struck once)`,
      "delay on endpoints.* (fault-2, struck 0 times)",
    ]);
    admin.clearFaults();
    await page.getByText("Faults in force").waitFor({ state: "hidden" });
  });

  it("has its headings and says that it loads before the first answer", async () => {
    const emulator = await openEmulator();
    const { page } = await open("about:blank");
    await page.route("**/_console/view*", () => undefined);
    await page.goto(emulator.consoleUrl);
    await page.getByRole("heading", { name: "Branches and endpoints" }).waitFor();
    expect(await page.getByText("Loading", { exact: true }).count()).toBe(2);
  });

  it("chooses among projects, and keeps the choice in its address", async () => {
    const emulator = await openEmulator();
    emulator.admin.seedProject({ id: "calm-bay", name: "Calm bay", plan: "free" });
    const { page } = await open(emulator.consoleUrl);
    await page.getByLabel("Project").selectOption("calm-bay");
    await page.getByRole("heading", { name: "Calm bay" }).waitFor();
    await page.getByText("Free plan").waitFor();
    expect(new URL(page.url()).search).toBe("?project=calm-bay");
    await page.reload();
    await page.getByRole("heading", { name: "Calm bay" }).waitFor();
    emulator.admin.deleteProject("calm-bay");
    await page.getByText("being deleted").waitFor();
    emulator.admin.advance(1000);
    await page.getByRole("heading", { name: "quiet-harbor" }).waitFor();
    emulator.admin.deleteProject(emulator.projectId);
    emulator.admin.advance(1000);
    await page.getByText("The platform has no project.").waitFor();
  });

  it("takes every text of the platform for a text", async () => {
    const emulator = await openEmulator();
    const nasty = `<img src=x onerror="document.title='broken in'">&amp;<script>document.title='broken in'</script>`;
    emulator.admin.seedProject({ id: "calm-bay", name: nasty });
    const { id } = emulator.admin.seedBranch(emulator.projectId, { name: nasty });
    emulator.admin.addFault({ on: "operation", effect: { kind: "unknown-action", action: nasty } });
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", branchId: id });
    const { page } = await open(emulator.consoleUrl);
    expect(await row(page, id).locator("b").innerText()).toBe(nasty);
    expect((await operations(page))[0]).toContain(`${nasty} | ${nasty} | scheduling`);
    expect(await page.getByLabel("Project").locator("option").allInnerTexts()).toContain(`${nasty} (calm-bay)`);
    expect(await page.locator("main :is(img, script)").count()).toBe(0);
    expect(await page.title()).toBe("Emulator console");
  });
});

/** The operations as they are read, cell by cell. */
async function operations(page: Page): Promise<string[]> {
  await page.locator("#operation-rows > tr").first().waitFor();
  const rows = await page.locator("#operation-rows > tr").all();
  const texts = rows.map(async (one) => {
    const cells = await one.locator("td").allInnerTexts();
    return cells.map((text) => text.replace(/\s+/g, " ").trim()).join(" | ");
  });
  return Promise.all(texts);
}
