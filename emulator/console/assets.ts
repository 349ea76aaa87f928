import { readFileSync } from "node:fs";

/** A file of the page as it is served. */
export interface Asset {
  type: string;
  text: string;
}

/** The page's files lie in `page/` beside this file, and beside the bundle that it goes into. */
const folder = new URL("./page/", import.meta.url);

const types = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
} as const;

/** The page itself; all that it loads is below `CONSOLE_PREFIX`. */
export const pageAsset: Asset = asset("index", "html");

/** What the page loads, by file name. */
export const assets: Readonly<Record<string, Asset>> = {
  "console.css": asset("console", "css"),
  "base.css": asset("base", "css"),
  "frame.css": asset("frame", "css"),
  "tables.css": asset("tables", "css"),
  "narrow.css": asset("narrow", "css"),
  "icon.svg": asset("icon", "svg"),
  "main.js": asset("main", "js"),
  "calls.js": asset("calls", "js"),
  "dom.js": asset("dom", "js"),
  "live.js": asset("live", "js"),
  "endpoints.js": asset("endpoints", "js"),
  "operations.js": asset("operations", "js"),
  "log.js": asset("log", "js"),
  "access.js": asset("access", "js"),
};

function asset(name: string, ending: keyof typeof types): Asset {
  return { type: types[ending], text: readFileSync(new URL(`${name}.${ending}`, folder), "utf8") };
}
