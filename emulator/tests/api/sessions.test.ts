/**
 * Tests the API and the admin calls by recorded sessions of requests and results. `PGCOMPUTE_RECORD=1` records them
 * anew.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { readSessions, runSession, writeSessions } from "./support/session";

const folder = new URL("sessions/", import.meta.url);
const isRecording = process.env.PGCOMPUTE_RECORD === "1";

for (const name of readdirSync(folder).filter((file) => file.endsWith(".session"))) {
  const file = fileURLToPath(new URL(name, folder));
  const { head, sessions } = readSessions(readFileSync(file, "utf8"));
  describe(name.replace(".session", ""), () => {
    it.each(sessions)("$title", async (session) => {
      const told = await runSession(session);
      if (isRecording) session.lines = told;
      expect(told).toEqual(session.lines);
    });
    if (isRecording) afterAll(() => writeFileSync(file, writeSessions(head, sessions)));
  });
}
