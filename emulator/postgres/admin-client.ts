import { Client } from "pg";
import { ADMIN_ROLE, DATABASE } from "./server-config";

const ATTEMPTS = 50;
const PAUSE_MS = 100;

/** Talks to a server as its superuser. Where clients have every connection there is, it waits for one, up to 5 s. */
export async function asAdmin<T>(
  { port, password }: { port: number; password: string },
  talk: (client: Client) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = new Client({ host: "127.0.0.1", port, user: ADMIN_ROLE, password, database: DATABASE });
    // A server that ends meanwhile fails the query under way; the connection's own error says nothing more.
    client.on("error", () => undefined);
    try {
      await client.connect();
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof Error && "code" in error && error.code === "53300")) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      continue;
    }
    try {
      return await talk(client);
    } finally {
      await client.end();
    }
  }
}
