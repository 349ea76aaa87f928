import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openTrace } from "../../../../provider/config/open";
import type { Api } from "../../../../provider/platform/api";
import { createApi } from "../../../../provider/platform/client";
import { temporaryFolder } from "../../../support/temporary-folder";
import { createVirtualClock } from "../../../support/virtual-clock";
import { answer, type Handle, serve } from "../support/raw-server";

const KEY = "napi_k3y/with+signs=and.more";
const branches = { branches: [] };

let folder = "";
let file = "";
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "trace.jsonl");
});

async function open(handle: Handle): Promise<{ api: Api; lines: () => Record<string, unknown>[] }> {
  const server = await serve(handle);
  const clock = createVirtualClock();
  const api = createApi({ baseUrl: server.baseUrl, apiKey: KEY, clock, onRequest: openTrace(file, KEY, clock) });
  onTestFinished(() => api.close());
  const lines = () =>
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { api, lines };
}

describe("the trace", () => {
  it("has a line for each call, in their order, and is for its owner alone", async () => {
    const { api, lines } = await open((_, response, index) =>
      index === 0
        ? answer(response, 200, branches, { "x-neon-ret-request-id": "r-1", "x-request-id": "r-0" })
        : answer(response, 404, { code: "", message: "gone", request_id: "r-2" }),
    );
    await api.listBranches("p-one");
    await api.getEndpoint("p-one", "ep-1").catch(() => {});
    const common = { time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), method: "GET", ms: expect.any(Number) };
    expect(lines()).toEqual([
      { ...common, path: "/projects/p-one/branches", status: 200, requestId: "r-1" },
      { ...common, path: "/projects/p-one/endpoints/ep-1", status: 404, requestId: "r-2" },
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("becomes its owner's alone where others may read the file that is there", async () => {
    writeFileSync(file, "", { mode: 0o644 });
    chmodSync(file, 0o666);
    openTrace(file, KEY, createVirtualClock());
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("is refused where the file is another account's", () => {
    writeFileSync(file, "theirs");
    vi.spyOn(process, "getuid").mockReturnValue(statSync(file).uid + 1);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(() => openTrace(file, KEY, createVirtualClock())).toThrow("belongs to another account");
    expect(readFileSync(file, "utf8")).toBe("theirs");
  });

  /** What another account could have put in the file's place. */
  const others: Record<string, (target: string) => void> = {
    "a link": (target) => symlinkSync(target, file),
    "a link to nothing": (target) => {
      rmSync(target);
      symlinkSync(target, file);
    },
    "a hard link": (target) => linkSync(target, file),
    "a pipe": () => execFileSync("mkfifo", [file]),
    "a folder": () => mkdirSync(file),
  };
  it.each(Object.keys(others))("is refused at once where the file is %s, which stays as it is", (kind) => {
    const target = join(folder, "target");
    writeFileSync(target, "theirs");
    chmodSync(target, 0o644);
    others[kind]?.(target);
    expect(() => openTrace(file, KEY, createVirtualClock())).toThrow(
      /the file that traceFile names (is a link|is no regular file|has another name, too|cannot be written \(EISDIR\))/,
    );
    if (kind === "a link to nothing") return expect(existsSync(target)).toBe(false);
    expect(readFileSync(target, "utf8")).toBe("theirs");
    expect(statSync(target).mode & 0o777).toBe(0o644);
  });

  it("is refused where the file is a pipe that somebody reads, or a device", () => {
    execFileSync("mkfifo", [file]);
    const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(reader));
    for (const one of [file, "/dev/null"])
      expect(() => openTrace(one, KEY, createVirtualClock())).toThrow("is no regular file");
  });

  it("follows no link that comes in its place later, and fails no call for it", async () => {
    const { api } = await open((_, response) => answer(response, 200, branches));
    const target = join(folder, "target");
    writeFileSync(target, "theirs");
    rmSync(file);
    symlinkSync(target, file);
    expect(await api.listBranches("p-one")).toEqual([]);
    expect(readFileSync(target, "utf8")).toBe("theirs");
  });

  it("says why no answer came", async () => {
    const { api, lines } = await open((_, response) => response.destroy());
    await api.updateEndpoint("p-one", "ep-1", {}).catch(() => {});
    expect(lines()).toEqual([
      expect.objectContaining({ method: "PATCH", status: null, requestId: null, failure: "answer_lost" }),
    ]);
  });

  it("is added to, and never has the key, whatever the server sends back", async () => {
    for (let run = 0; run < 2; run += 1) {
      const { api } = await open((_, response) => answer(response, 400, { request_id: KEY }, { "x-request-id": KEY }));
      await api.listBranches("p-one").catch(() => {});
    }
    openTrace(file, KEY, createVirtualClock())({ method: "GET", path: `/${KEY}`, status: 200, requestId: KEY, ms: 1 });
    const text = readFileSync(file, "utf8");
    expect(text.split("\n")).toHaveLength(4);
    expect(text).not.toContain(KEY);
  });

  it("is refused where it cannot be written, without its name", () => {
    const there = join(folder, "napi_no_folder", "trace.jsonl");
    expect(() => openTrace(there, KEY, createVirtualClock())).toThrow(
      "the file that traceFile names cannot be written (ENOENT)",
    );
  });

  it("fails no call where the file has gone away", async () => {
    const { api } = await open((_, response) => answer(response, 200, branches));
    rmSync(folder, { recursive: true });
    expect(await api.listBranches("p-one")).toEqual([]);
  });
});
