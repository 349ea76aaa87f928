import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageSchema } from "./generate/schema";
import { sdkModel } from "./generate/sdk-model";

/** Every generated file of the tree, by its path. */
const generated: Record<string, () => string> = {
  "schema.json": () => packageSchema(JSON.parse(read("package.json") ?? "{}").version),
  "sdk/model.gen.ts": sdkModel,
};

/** Writes the generated files; with `--check` writes nothing and fails, naming those that are stale. */
function main(root: string, check: boolean): void {
  const stale: string[] = [];
  for (const [path, generate] of Object.entries(generated)) {
    const file = join(root, path);
    const text = generate();
    if (read(file) === text) continue;
    stale.push(path);
    if (check) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  if (check && stale.length > 0) {
    console.error(`stale generated files: ${stale.join(", ")}\nrun \`make generate\` and commit the result`);
    process.exitCode = 1;
  } else {
    console.log(stale.length === 0 ? "generated files are fresh" : `wrote ${stale.join(", ")}`);
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

main(process.cwd(), process.argv.includes("--check"));
