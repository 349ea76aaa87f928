import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../../tools/root.mjs";

const read = (file: string) => readFileSync(join(root, file), "utf8");
const projects = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" })
  .filter((file) => !file.includes("node_modules") && /(?:^|[\\/])Pulumi\.yaml$/.test(file))
  .map((file) => join("examples", file));

// Pulumi's own host takes the `main` of the nearest package.json, which may be that of a folder above.
it.each(projects.filter((file) => parse(read(file)).runtime === "nodejs"))(
  "%s has the program that Pulumi's own host runs beside it",
  (file) => {
    const folder = dirname(file);
    const own = join(folder, "package.json");
    const { main } = parse(read(file));
    const entry = main ?? (existsSync(join(root, own)) ? JSON.parse(read(own)).main : undefined);
    expect(entry).toBeTypeOf("string");
    expect(existsSync(join(root, folder, entry))).toBe(true);
  },
);
