import { Client } from "pg";
import type { Play } from "./play";

/** The state of a client's session. */
export type SessionState = "open" | "gone";

/**
 * Keeps a client's session open during `change`, and checks the promise about it. Without Postgres servers, says so and
 * makes the change alone.
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
  // The server may end it: that can be the step's point.
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
