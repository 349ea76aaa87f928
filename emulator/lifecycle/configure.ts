import { isRunning } from "../model/endpoint";
import { isPresent, type PlanMaker, placeOf } from "./change";

/** An apply_config operation: at its end a compute that does not run is stopped if disabled, idle if not. */
export const applyPlan: PlanMaker = (platform, project, endpoint) => ({
  action: "apply_config",
  ...placeOf(endpoint),
  onSuccess: () => {
    if (!isPresent(project, endpoint)) return;
    const { current_state: state, disabled } = endpoint.record;
    const next =
      disabled && !isRunning(endpoint.record) ? "stopped" : !disabled && state === "stopped" ? "idle" : state;
    if (next !== state) project.changeEndpoint(endpoint, { current_state: next }, platform.now());
  },
});
