/** `import text from "./FILE?raw"` gives the file's text: the console's page goes into the bundle as it is. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const suffix = "?raw";

/** @type {import("rolldown").Plugin} */
export const raw = {
  name: "raw",
  resolveId(id, importer) {
    return importer !== undefined && id.startsWith(".") && id.endsWith(suffix)
      ? resolve(dirname(importer), id)
      : undefined;
  },
  load(id) {
    if (!id.endsWith(suffix)) return undefined;
    const text = readFileSync(id.slice(0, -suffix.length), "utf8");
    return { code: `export default ${JSON.stringify(text)};`, moduleType: "js" };
  },
};
