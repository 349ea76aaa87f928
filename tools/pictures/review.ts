import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { AnsiUp } from "ansi_up";
import type { Browser } from "playwright-core";
import { toHtml } from "../../cli/review/html";
import { toReport } from "../../cli/review/report";
import { playReview } from "./review-scene";

/** Takes the pictures of a preview in a terminal and of its report, from the real engine's output. */
export async function takeReview(browser: Browser, folder: string): Promise<void> {
  const { plan, text, live } = await playReview();
  const report = toHtml(toReport(plan, { failOn: ["restart", "replace"], pricePerCuHour: 0.16, live }));
  const take = async (name: string, content: string, options: object, clip?: { width: number; height: number }) => {
    const page = await browser.newPage({ deviceScaleFactor: 1.5, ...options });
    await page.setContent(content);
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path, ...(clip ? { clip: { x: 0, y: 0, ...clip } } : { fullPage: true }) });
    await page.close();
  };
  const wide = { width: 1000, height: 1000 };
  await take("review", report, { viewport: wide }, wide);
  await take("review-dark", report, { viewport: wide, colorScheme: "dark" }, wide);
  const phone = { width: 390, height: 1300 };
  await take("review-phone", report, { viewport: phone }, phone);
  await take("preview", terminalPage(text), { viewport: { width: 1180, height: 200 } });
}

/** The final terminal output as a page: the tree with a row per resource, then the messages. */
function terminalPage(text: string): string {
  const ansi = new AnsiUp();
  ansi.use_classes = true;
  const at = text.split("\n").findIndex((line) => plain(line) === "Diagnostics:");
  const lines = text.split("\n");
  const row = (line: string, kind: string) => `<div class="${kind}">${ansi.ansi_to_html(line) || "&nbsp;"}</div>`;
  const tree = ["$ pulumi preview", ...lastRows(lines.slice(0, at)), ""].map((line) => row(line, "row"));
  const messages = withoutOwnWarnings(lines.slice(at)).map((line) => row(line, "message"));
  return `<!doctype html><style>
    body { margin: 0; padding: 20px 24px; background: #14181f; color: #d7dce3; font: 13px/1.5 "DejaVu Sans Mono", monospace; }
    div { white-space: pre; overflow: hidden; text-overflow: ellipsis; }
    div.message { white-space: pre-wrap; overflow-wrap: anywhere; }
    .ansi-red-fg, .ansi-bright-red-fg { color: #ff8a80; }
    .ansi-green-fg, .ansi-bright-green-fg { color: #5fd38d; }
    .ansi-yellow-fg, .ansi-bright-yellow-fg { color: #e6c35c; }
    .ansi-blue-fg, .ansi-bright-blue-fg { color: #82b6ff; }
    .ansi-magenta-fg, .ansi-bright-magenta-fg { color: #e39bf0; }
  </style>${[...tree, ...messages].join("\n")}`;
}

/** The last version of each row: without a terminal the engine prints a row at every change. */
function lastRows(lines: readonly string[]): string[] {
  const rows = new Map<string, string>();
  for (const line of lines) {
    const [, resource] = /(\S+:\S+:\S+ \S+)/.exec(plain(line)) ?? [];
    // A terminal shows one row for a replacement.
    if (resource && !/create replacement|delete original|from \$PATH|^\s*pulumi:pulumi:Stack/.test(plain(line)))
      rows.set(resource, line);
  }
  return [...rows.values()];
}

/** The messages without those about this clone's plugin, and without headings left empty. */
function withoutOwnWarnings(lines: readonly string[]): string[] {
  const kept = lines.filter((line) => !plain(line).includes("from $PATH"));
  const isMessage = (line = "") => /^ {4}\S/.test(plain(line));
  const told = kept.filter((line, index) => !isHeading(line) || isMessage(kept[index + 1]));
  // Removed lines leave blank ones behind.
  const isBlank = (line = "") => plain(line) === "";
  const last = told.findLastIndex((line) => !isBlank(line));
  return told.slice(0, last + 1).filter((line, index) => !isBlank(line) || !isBlank(told[index - 1]));
}

function isHeading(line: string): boolean {
  return /^ {2}\S.*\):$/.test(plain(line));
}

function plain(line: string): string {
  return stripVTControlCharacters(line).trimEnd();
}
