import { setStage } from "./stage";

async function go() {
  const s = await setStage();
  try {
    const p = (t: string) => process.stdout.write(t);
    const h = (t: string) => console.log(`\n##### ${t}`);
    h("preview");
    console.log((await s.stack.preview({ diff: true, color: "never", onOutput: p })).changeSummary);
    h("up");
    const u = await s.stack.up({ color: "never", onOutput: p });
    console.log(u.summary.resourceChanges, u.outputs);
    h("up2");
    await s.stack.up({ color: "never", onOutput: p });
    await s.configure({ minCu: "1", maxCu: "4", suspendTimeoutSeconds: "600" });
    h("preview change");
    await s.stack.preview({ color: "never", diff: true, onOutput: p });
    h("up change");
    await s.stack.up({ color: "never", onOutput: p });
    const e = s.emulator.admin.project(s.emulator.projectId).endpoints.find((x) => x.branch_id === s.branchId);
    s.emulator.admin.changeEndpoint(e?.id ?? "", { autoscaling_limit_max_cu: 7 });
    h("preview refresh");
    await s.stack.previewRefresh({ color: "never", onOutput: p });
    h("refresh");
    await s.stack.refresh({ color: "never", onOutput: p });
    h("preview up");
    await s.stack.preview({ color: "never", diff: true, onOutput: p });
    h("up");
    await s.stack.up({ color: "never", onOutput: p });
    h("destroy");
    await s.stack.destroy({ color: "never", onOutput: p });
    console.log(s.emulator.admin.project(s.emulator.projectId).operations, s.emulator.admin.counts());
  } finally {
    await s.close();
  }
}
void go();
