/**
 * `make live`: runs two endpoints on a real account, by the real engine, and the same on the emulator; prints how their
 * answers differ. Exits 1 if the scenario failed or left something behind, 2 without an account.
 */

import { createEmulator } from "../../emulator";
import { type Outcome, type Place, play } from "./scenario";
import { differences, shapesOf } from "./shapes";

const PLATFORM = "https://console.neon.tech/api/v2";

async function main(): Promise<number> {
  const account = placeOf(process.env);
  if (!account) return 2;
  const interrupted = new AbortController();
  // Ctrl-C also reaches the engine; then everything is cleaned up. The listener stays, so that a second one waits.
  process.on("SIGINT", () => interrupted.abort(new Error("interrupted")));
  process.on("SIGTERM", () => interrupted.abort(new Error("interrupted")));

  console.log(`account: project ${account.projectId} at ${account.baseUrl}`);
  const live = await play(account, (line) => console.log(`  ${line}`), interrupted.signal);
  report(live);
  if (interrupted.signal.aborted) return 1;

  console.log("emulator:");
  const emulator = await createEmulator({ operationMs: 100, firstOperation: "running", disabledState: "idle" });
  const { url: baseUrl, apiKey, projectId, branchId } = emulator;
  const model = await play(
    { baseUrl, apiKey, projectId, branchId },
    (line) => console.log(`  ${line}`),
    interrupted.signal,
  );
  await emulator.close();
  report(model);

  const lines = differences(shapesOf(live.answers), shapesOf(model.answers));
  console.log(`\n${live.answers.length} answers of the account, ${lines.length} differences from the emulator's:`);
  for (const line of lines) console.log(`  ${line}`);
  return [live, model].some(({ failure, left }) => failure || left.length > 0) ? 1 : 0;
}

function report({ failure, left }: Outcome): void {
  if (failure) console.error(`  FAILED: ${failure.message}`);
  for (const what of left) console.error(`  LEFT BEHIND, delete it by hand: ${what}`);
}

function placeOf(env: NodeJS.ProcessEnv): Place | undefined {
  const { PGCOMPUTE_LIVE_API_KEY: apiKey, PGCOMPUTE_LIVE_PROJECT: projectId, PGCOMPUTE_LIVE_BRANCH: branchId } = env;
  const baseUrl = (env.PGCOMPUTE_LIVE_BASE_URL ?? PLATFORM).replace(/\/$/, "");
  if (apiKey && projectId && branchId) return { apiKey, projectId, branchId, baseUrl };
  console.error(
    "make live works on a real account, and that may cost something. Set PGCOMPUTE_LIVE_API_KEY, PGCOMPUTE_LIVE_PROJECT and\n" +
      "PGCOMPUTE_LIVE_BRANCH (the branch that its own three branches grow from), and PGCOMPUTE_LIVE_BASE_URL for another\n" +
      "address than the platform's. It deletes what it makes, and nothing else.",
  );
  return undefined;
}

// A CommonJS module cannot have a top-level await.
main().then((code) => {
  process.exitCode = code;
});
