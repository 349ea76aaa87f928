/** A step for whatever can become of one endpoint, with what the summary says of it and which conditions of the gate it meets. */
import { type PlanStep, SECRET } from "../../../../cli/review/plan-model";
import type { GateCondition } from "../../../../cli/review/report-model";
import { UNKNOWN } from "../../../../provider/lib/unknown";
import { stateOf, stepFor, updateOf } from "./plans";

const change = (inputs: Record<string, unknown>) => updateOf("a", inputs);
const idle = (inputs: Record<string, unknown>) => change({ ...inputs, restartWhen: "idle" });
const replaced = (more: object = {}) =>
  stepFor("a", "replace", {
    before: { ...stateOf(), delete: true, ...more },
    after: { inputs: { ...stateOf().inputs, type: "read_only" }, outputs: {} },
  });
const created = (more: object = {}) =>
  stepFor("a", "create", { after: { inputs: { ...stateOf().inputs, ...more }, outputs: {} } });
const deleted = (more: object = {}) => stepFor("a", "delete", { before: { ...stateOf(), ...more } });
const stopped = updateOf("a", { sizeCu: 2, disabled: true }, stateOf({ disabled: true }));

/** What it is, the step, the words of the summary, and the conditions. */
export const everyChange: [string, PlanStep, string, GateCondition[]][] = [
  ["a restart", change({ sizeCu: 2 }), "1 restart (connections drop)", ["restart"]],
  ["a move", change({ branchId: "br-2" }), "1 move (connections drop)", ["move"]],
  ["a switch-off", change({ disabled: true }), "1 disabled (connections drop, downtime)", ["downtime"]],
  ["a replacement", replaced(), "1 replaced (host changes)", ["replace"]],
  ["a gap", replaced({ pendingReplacement: true }), "1 replaced (host changes, downtime)", ["replace", "downtime"]],
  ["a deletion", deleted(), "1 deleted (connections drop)", ["delete", "downtime"]],
  ["a doubt", change({ restartTrigger: UNKNOWN }), "1 may drop connections (values not known yet)", ["restart"]],
  ["an unknown size", change({ sizeCu: UNKNOWN }), "1 may drop connections (values not known yet)", ["restart"]],
  ["an unknown switch", change({ disabled: UNKNOWN }), "1 may drop connections (values not known yet)", ["downtime"]],
  [
    "an unknown branch",
    change({ branchId: UNKNOWN }),
    "1 may drop connections (values not known yet)",
    ["replace", "move"],
  ],
  ["a restart when idle", idle({ sizeCu: 2 }), "1 restarts when idle", ["restart-idle"]],
  ["a switch-off when idle", idle({ disabled: true }), "1 disabled (downtime)", ["restart-idle", "downtime"]],
  ["a move when idle", idle({ branchId: "br-2" }), "1 restarts when idle", ["restart-idle", "move"]],
  ["an unknown size when idle", idle({ sizeCu: UNKNOWN }), "1 restarts when idle", ["restart-idle"]],
  ["an unknown switch when idle", idle({ disabled: UNKNOWN }), "1 restarts when idle", ["restart-idle", "downtime"]],
  ["a pooler when idle", idle({ poolerEnabled: true }), "1 reconfigured (restart not stated)", []],
  ["a delay when idle", idle({ suspendTimeoutSeconds: 60 }), "1 unaffected", []],
  [
    "a restart at a secret moment",
    change({ sizeCu: 2, restartWhen: SECRET }),
    "1 restart (connections drop)",
    ["restart", "restart-idle"],
  ],
  [
    "a move at a secret moment",
    change({ branchId: "br-2", restartWhen: SECRET }),
    "1 move (connections drop)",
    ["restart-idle", "move"],
  ],
  ["a pooler", change({ poolerEnabled: true }), "1 reconfigured (restart not stated)", []],
  ["a creation", created(), "1 created", []],
  ["a takeover", created({ adoptExisting: true }), "1 taken over (may restart)", ["restart"]],
  ["an import", stepFor("a", "import", { after: stateOf() }), "1 imported", []],
  ["a release", deleted({ retainOnDelete: true }), "1 released (keeps running)", []],
  ["a delay", change({ suspendTimeoutSeconds: 60 }), "1 unaffected", []],
  ["a resize of what does not run", stopped, "1 unaffected", []],
];
