/** `node tools/run.mjs tools/pictures/review.ts` takes the pictures of a preview and of its report anew, on the real engine. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { AnsiUp } from "ansi_up";
import { toHtml } from "../../cli/review/html";
import { readPlan } from "../../cli/review/plan";
import { toReport } from "../../cli/review/report";
import { launchChromium } from "../browser/chromium.mjs";
import { root } from "../root.mjs";
import { playReview } from "./review-scene";

const folder = join(root, "docs", "pictures");
const scale = { deviceScaleFactor: 1.5 };

const scene = await playReview();
const report = toHtml(
  toReport(readPlan(Buffer.from(scene.plan)), { failOn: ["restart", "replace"], pricePerCuHour: 0.16 }),
);
mkdirSync(folder, { recursive: true });
const browser = await launchChromium();
try {
  const take = async (name: string, content: string, options: object, clip?: { width: number; height: number }) => {
    const page = await browser.newPage({ ...scale, ...options });
    await page.setContent(content);
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path, ...(clip ? { clip: { x: 0, y: 0, ...clip } } : { fullPage: true }) });
    await page.close();
  };
  const wide = { width: 1000, height: 900 };
  await take("review", report, { viewport: wide }, wide);
  await take("review-dark", report, { viewport: wide, colorScheme: "dark" }, wide);
  const phone = { width: 390, height: 844 };
  await take("review-phone", report, { viewport: phone }, phone);
  await take("preview", terminalPage(scene.text), { viewport: { width: 1180, height: 200 } });
} finally {
  await browser.close();
}

/** What a person's terminal shows at the end, as a page: the tree with a row for each resource, then the messages. */
function terminalPage(text: string): string {
  const ansi = new AnsiUp();
  const at = text.split("\n").findIndex((line) => plain(line) === "Diagnostics:");
  const lines = text.split("\n");
  const row = (line: string, kind: string) => `<div class="${kind}">${ansi.ansi_to_html(line) || "&nbsp;"}</div>`;
  const tree = ["$ pulumi preview", ...lastRows(lines.slice(0, at)), ""].map((line) => row(line, "row"));
  const messages = withoutOwnWarnings(lines.slice(at)).map((line) => row(line, "message"));
  return `<!doctype html><style>
    body { margin: 0; padding: 20px 24px; background: #14181f; color: #d7dce3; font: 13px/1.5 "DejaVu Sans Mono", monospace; }
    div { white-space: pre; overflow: hidden; text-overflow: ellipsis; }
    div.message { white-space: pre-wrap; overflow-wrap: anywhere; }
  </style>${[...tree, ...messages].join("\n")}`;
}

/** Without a terminal the engine prints a row again whenever it changes; a terminal has only the last one. */
function lastRows(lines: readonly string[]): string[] {
  const rows = new Map<string, string>();
  for (const line of lines) {
    const [, resource] = /(\S+:\S+:\S+ \S+)/.exec(plain(line)) ?? [];
    // Of a replacement a terminal shows one row.
    if (resource && !/create replacement|delete original|from \$PATH|^\s*pulumi:pulumi:Stack/.test(plain(line)))
      rows.set(resource, line);
  }
  return [...rows.values()];
}

/** The messages without those about where this clone's plugin is, and without a heading that has no message left. */
function withoutOwnWarnings(lines: readonly string[]): string[] {
  const kept = lines.filter((line) => !plain(line).includes("from $PATH") && plain(line).trim() !== "");
  return kept.filter((line, index) => !isHeading(line) || !isHeading(kept[index + 1] ?? ""));
}

function isHeading(line: string): boolean {
  return /^ {2}\S.*\):$/.test(plain(line));
}

function plain(line: string): string {
  return stripVTControlCharacters(line).trimEnd();
}
