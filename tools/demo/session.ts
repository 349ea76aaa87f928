import { Client } from "pg";
import type { Play } from "./play";

/** How a client's session stands. */
export type SessionState = "open" | "gone";

/**
 * Has a client's session be open while `change` runs, and holds the promise of what became of it. Where the demo's platform
 * has no Postgres servers, it says so, and the change is made without.
 */
export async function duringSession(
  play: Play,
  { endpointId, promise, expected }: { endpointId: string; promise: string; expected: SessionState },
  change: () => Promise<void>,
): Promise<void> {
  const { emulator, withoutServers } = play.stage;
  if (withoutServers !== undefined) {
    play.screen.note(`no session is shown, since the demo has no Postgres: ${withoutServers}`);
    return change();
  }
  const client = new Client({ connectionString: emulator.admin.connectionStrings(endpointId).url });
  // That the server ends it may be what the step is about.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query("SHOW max_connections");
    play.screen.note(`a client has a session with ${endpointId}: max_connections ${rows[0]?.max_connections}`);
    await change();
    const state: SessionState = await client.query("SELECT 1").then(
      () => "open",
      () => "gone",
    );
    play.expect(promise, state, expected);
  } finally {
    await client.end().catch(() => undefined);
  }
}
