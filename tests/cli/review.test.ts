import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "../../tools/root.mjs";
import { runAlone, type ShellOptions } from "./support/open-shell";

const review = (args: string[], options?: ShellOptions) => runAlone(["review", ...args], options);
const pathOf = (sample: string) => join(root, "tests/unit/cli/samples", sample);
const textOf = (sample: string) => readFileSync(pathOf(sample), "utf8");

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pgcompute-review-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe("review", () => {
  it.each(["plugin-changes.json", "dynamic-changes-streamed.jsonl"])(
    "reads %s alike, piped or by name",
    async (file) => {
      const piped = await review([], { input: textOf(file) });
      expect(piped).toMatchObject({ code: 0, err: "" });
      expect(piped.out).toMatch(
        /^<!-- pgcompute-review -->\n\n\*\*8 endpoints change: 1 restart \(connections drop\), /,
      );
      for (const options of [["-"], [pathOf(file)]]) {
        expect(await review(options, { input: textOf(file) })).toEqual(piped);
      }
    },
  );

  it("writes each report in the form of its file, and tells the rest", async () => {
    const folder = openFolder();
    const files = ["a.md", "b.html", "c.json", "d"].map((name) => join(folder, name));
    const outs = files.flatMap((file) => ["--out", file]);
    const { out, code } = await review([pathOf("plugin-import.json"), ...outs, "--fail-on", "delete"]);
    expect({ out, code }).toEqual({
      out: "1 endpoint changes: 1 imported\nGate passed: nothing of delete\n",
      code: 0,
    });
    const [markdown, html, json, other] = files.map((file) => readFileSync(file, "utf8"));
    expect(markdown).toMatch(/^<!-- pgcompute-review -->/);
    expect(html).toMatch(/^<!doctype html>/);
    expect(JSON.parse(json ?? "")).toMatchObject({ version: 1, summary: "1 endpoint changes: 1 imported" });
    expect(other).toBe(markdown);
  });

  const deletes = "Gate failed on delete: 1 endpoint (gone)";
  it.each([
    [["restart"], 3, ["Gate failed on restart: 2 endpoints (resized, triggered)"]],
    [["delete, replace"], 3, ["Gate failed on replace: 1 endpoint (typed)", deletes]],
    [["delete", "restart"], 3, ["Gate failed on restart: 2 endpoints (resized, triggered)", deletes]],
    [["downtime"], 3, ["Gate failed on downtime: 2 endpoints (gone, moved)"]],
  ])("ends by what it is to fail on: %j", async (lists, code, lines) => {
    const file = join(openFolder(), "review.md");
    const ended = await review([
      pathOf("plugin-changes.json"),
      "--out",
      file,
      ...lists.flatMap((list) => ["--fail-on", list]),
    ]);
    expect({ code: ended.code, lines: ended.out.trim().split("\n").slice(1) }).toEqual({ code, lines });
  });

  it("writes what is there of a preview that failed, and ends as that did", async () => {
    const { out, err, code } = await review([pathOf("plugin-failed.json"), "--fail-on", "restart"]);
    expect(out).toMatch(/\*\*The preview failed, so this is not all\. No endpoint changes\*\*/);
    expect(out).toContain("- Gate not decided on restart: the preview failed\n");
    expect(out).not.toContain("passed");
    expect(err).toMatch(/^pgcompute: the preview failed: .*looks like a branch's name/);
    expect(code).toBe(1);
  });

  it("writes a seal, and holds the next plan to it", async () => {
    const folder = openFolder();
    const [seal, out] = [join(folder, "seal.json"), join(folder, "review.md")];
    const plan = pathOf("plugin-changes.json");
    expect((await review([plan, "--out", out, "--seal", seal])).code).toBe(0);
    expect(JSON.parse(readFileSync(seal, "utf8"))).toMatchObject({ kind: "pgcompute-seal", stack: "dev" });
    const harmless = await review([pathOf("plugin-import.json"), "--out", out, "--expect", seal]);
    expect(harmless).toMatchObject({
      code: 0,
      out: "1 endpoint changes: 1 imported\nAs approved: the plan disrupts nothing but what the seal has\n",
    });
    const other = await review([pathOf("plugin-replacements.json"), "--out", out, "--expect", seal]);
    expect(other.code).toBe(3);
    expect(other.out).toMatch(
      /\nNot as approved: first \(\S+\) is not in the seal: connections drop, host changes, is replaced/,
    );
    const page = await review([pathOf("plugin-replacements.json"), "--expect", seal, "--format", "html"]);
    expect(page.out).toMatch(
      /<section class="card alarm" aria-label="Gate"><p>Not as approved: adopts \(\S+\) is not in the seal: may restart/,
    );
  });

  it.each([
    [
      "a file that is not there",
      ["/nowhere/plan.json"],
      {},
      1,
      /cannot read the plan: there is no file \/nowhere\/plan\.json/,
    ],
    ["a folder", [root], {}, 1, /cannot read the plan: .* is a folder\n/],
    ["nothing", [], { input: "" }, 1, /the input is empty \(did `pulumi preview --json` fail before it\?\)/],
    ["the text for people", [], { input: "Previewing update" }, 1, /not what `pulumi preview --json` prints/],
    ["an exported state", [], { input: '{"version":3,"deployment":{"resources":[]}}' }, 1, /not what/],
    ["a terminal", [], { terminal: true }, 2, /give a file, or pipe `pulumi preview --json` into this/],
    [
      "a seal that is not there",
      [pathOf("plugin-import.json"), "--expect", "/nowhere/a"],
      {},
      1,
      /cannot read the seal: there is no file/,
    ],
    [
      "what is no seal",
      [pathOf("plugin-import.json"), "--expect", pathOf("plugin-import.json")],
      {},
      1,
      /cannot read the seal: this is not what `pgcompute review --seal` writes/,
    ],
    ["two files", ["a", "b"], {}, 2, /too many arguments/],
    [
      "a condition that is none",
      ["--fail-on", "restarts"],
      {},
      2,
      /"restarts" is not one of restart, restart-idle, replace, move, delete.*; did you mean "restart"\?/,
    ],
    ["a place to write that is none", [pathOf("plugin-import.json"), "--out", "/nowhere/a.md"], {}, 1, /cannot write/],
  ] as [string, string[], ShellOptions, number, RegExp][])("refuses %s", async (_, args, options, code, reason) => {
    const ended = await review(args, options);
    expect(ended.err).toMatch(/^pgcompute: /);
    expect(ended.err).toMatch(reason);
    expect({ code: ended.code, out: ended.out }).toEqual({ code, out: "" });
  });
});
