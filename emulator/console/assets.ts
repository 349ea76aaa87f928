/// <reference path="./raw.d.ts" />
import baseStyle from "./page/base.css?raw";
import calls from "./page/calls.js?raw";
import style from "./page/console.css?raw";
import dom from "./page/dom.js?raw";
import endpoints from "./page/endpoints.js?raw";
import frameStyle from "./page/frame.css?raw";
import icon from "./page/icon.svg?raw";
import page from "./page/index.html?raw";
import live from "./page/live.js?raw";
import main from "./page/main.js?raw";
import narrowStyle from "./page/narrow.css?raw";
import operations from "./page/operations.js?raw";
import tablesStyle from "./page/tables.css?raw";

/** A file of the page as it is served. */
export interface Asset {
  type: string;
  text: string;
}

/** The page itself; all that it loads is below `CONSOLE_PREFIX`. */
export const pageAsset: Asset = { type: "text/html; charset=utf-8", text: page };

/** What the page loads, by file name. */
export const assets: Readonly<Record<string, Asset>> = {
  "console.css": css(style),
  "base.css": css(baseStyle),
  "frame.css": css(frameStyle),
  "tables.css": css(tablesStyle),
  "narrow.css": css(narrowStyle),
  "icon.svg": { type: "image/svg+xml", text: icon },
  "main.js": javascript(main),
  "calls.js": javascript(calls),
  "dom.js": javascript(dom),
  "live.js": javascript(live),
  "endpoints.js": javascript(endpoints),
  "operations.js": javascript(operations),
};

function javascript(text: string): Asset {
  return { type: "text/javascript; charset=utf-8", text };
}

function css(text: string): Asset {
  return { type: "text/css; charset=utf-8", text };
}
