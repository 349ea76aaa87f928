import { createEmulator, type Emulator } from "../../emulator";

const OPERATION_MS = 4000;

/**
 * An emulator on a working day: endpoints in every state, a resize, a new branch and a wake in progress, and a failure.
 * Its clock stands still, for a stable picture.
 */
export async function openScene(): Promise<Emulator> {
  return openPlayed(async (emulator) => {
    await playDay(emulator);
    await playRun(emulator);
  });
}

/** The same day before any change; the caller lets the engine make them. */
export async function openDay(): Promise<Emulator> {
  return openPlayed(playDay);
}

async function openPlayed(play: (emulator: Emulator) => Promise<void>): Promise<Emulator> {
  const emulator = await createEmulator({
    clock: "manual",
    startAt: Date.UTC(2026, 2, 12, 9, 38, 0),
    operationMs: OPERATION_MS,
    apiKey: "scene",
  });
  try {
    await play(emulator);
    return emulator;
  } catch (error) {
    await emulator.close();
    throw error;
  }
}

async function playDay(emulator: Emulator): Promise<void> {
  const { admin, projectId, branchId, endpointId } = emulator;
  const branch = (name: string, endpoint?: object) =>
    admin.seedBranch(projectId, { id: `br-${name.replace("/", "-")}`, name, ...(endpoint && { endpoint }) });
  branch("dev-anna", { id: "ep-misty-fjord-4410", disabled: true });
  branch("preview/pr-198");
  branch("preview/pr-211", { id: "ep-still-lake-2077", suspend_timeout_seconds: 60 });
  const staging = branch("staging");
  const stagingEndpoint = admin.seedEndpoint(projectId, {
    id: "ep-bright-cove-1893",
    branch_id: staging.id,
    autoscaling_limit_min_cu: 0.5,
    autoscaling_limit_max_cu: 2,
    pooler_enabled: true,
  });
  const replica = admin.seedEndpoint(projectId, {
    id: "ep-quiet-harbor-read",
    branch_id: branchId,
    type: "read_only",
    autoscaling_limit_min_cu: 1,
    autoscaling_limit_max_cu: 4,
    suspend_timeout_seconds: -1,
  });

  const main = `/endpoints/${endpointId}`;
  await call(emulator, "PATCH", main, { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4 });
  admin.advance(2 * OPERATION_MS);
  for (const [id, connections] of [
    [endpointId, 37],
    [replica.id, 12],
    [stagingEndpoint.id, 5],
  ] as const) {
    admin.connect({ endpointId: id, connections });
  }
  admin.advance(75_000);
  admin.addFault({
    on: "operation",
    action: "check_availability",
    count: 1,
    effect: { kind: "fail", error: "no route to host" },
  });
  admin.startOperation({ projectId, action: "check_availability", branchId: "br-preview-pr-198" });
  admin.advance(64_000);
}

/** The changes of a running engine. */
async function playRun(emulator: Emulator): Promise<void> {
  const { admin, endpointId } = emulator;
  await call(emulator, "PATCH", `/endpoints/${endpointId}`, {
    autoscaling_limit_min_cu: 2,
    autoscaling_limit_max_cu: 7,
  });
  admin.connect({ endpointId, connections: 3 });
  admin.advance(OPERATION_MS + 900);
  await call(emulator, "POST", "/branches", undefined, {
    branch: { name: "preview/pr-214" },
    endpoints: [{ type: "read_write", autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1 }],
  });
  admin.connect({ endpointId: "ep-still-lake-2077", connections: 1 });
  admin.advance(1600);
}

async function call(emulator: Emulator, method: string, path: string, endpoint?: object, body: object = { endpoint }) {
  const response = await fetch(`${emulator.url}/projects/${emulator.projectId}${path}`, {
    method,
    headers: { authorization: `Bearer ${emulator.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}
