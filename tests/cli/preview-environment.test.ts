import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator } from "../../emulator";
import { examples } from "./support/runner";

const folder = join(examples, "preview-environments");

describe("branch.mjs", () => {
  const run = (env: Record<string, string>) =>
    promisify(execFile)(process.execPath, [join(folder, "branch.mjs"), "preview/pr-7"], {
      env: { PATH: process.env.PATH, PGCOMPUTE_API_KEY: "napi_0123456789", PGCOMPUTE_PROJECT_ID: "p-1", ...env },
    }).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
    );

  it("finds the branch on the last of five pages, and makes none", async () => {
    const emulator = await createEmulator({ maxPageSize: 60 });
    onTestFinished(() => emulator.close());
    const { admin, apiKey, projectId, url } = emulator;
    const { id } = admin.seedBranch(projectId, { name: "preview/pr-7" });
    // By creation, newest first: the one that is wanted comes last but for the primary one.
    for (let at = 0; at < 248; at += 1) admin.seedBranch(projectId, { name: `preview/pr-7${at}` });
    const env = { PGCOMPUTE_API_KEY: apiKey, PGCOMPUTE_PROJECT_ID: projectId, PGCOMPUTE_BASE_URL: url };
    expect(await run(env)).toEqual({ code: 0, text: `branch_id=${id}\noperations=\n` });
    expect(admin.counts().byRoute).toEqual({ "branches.list": 5 });
  });

  it.each([
    ["http://platform.test/v2", /plain http would send the key in the clear/],
    ["http://127.0.0.1.platform.test/v2", /plain http/],
    ["https://me:pass@platform.test/v2", /must not have a user name/],
    ["ftp://platform.test/v2", /no address of the web/],
    ["platform", /no address of the web/],
  ])("sends no key to %s", async (address, reason) => {
    const { code, text } = await run({ PGCOMPUTE_BASE_URL: address });
    expect({ code, text }).toEqual({ code: 1, text: expect.stringMatching(reason) });
    expect(text).not.toMatch(/napi_|me:pass/);
  });

  const command = "::stop-commands::x";
  it.each([
    ["an error's text", 500, `\n${command}\n`, "GET branches: status 500"],
    ["what is no JSON", 200, `\n${command}\n`, "GET branches: the answer is no JSON"],
    ["what is no list", 200, JSON.stringify({ error: command }), "the answer is not what was expected"],
    [
      "an id with lines in it",
      200,
      JSON.stringify({ branches: [{ name: "preview/pr-7", id: `br-1\n${command}\noperations=x` }] }),
      "the answer has an id that is none",
    ],
  ])("prints nothing of %s that the platform answers", async (_, status, body, reason) => {
    const server = createServer((_request, response) => response.writeHead(status).end(body));
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const ended = await run({ PGCOMPUTE_BASE_URL: `http://127.0.0.1:${port}/v2` });
    expect(ended).toEqual({ code: 1, text: `branch.mjs: ${reason}\n` });
  });
});
