import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageJson } from "./generate/identity";
import { settingsModel, settingsPage } from "./generate/pg-settings";
import { emulatorReadme, readme } from "./generate/readme";
import { RECORDED_FROM, recordedFrom } from "./generate/recorded-plans";
import { configurationPage } from "./generate/reference/configuration";
import { endpointPage } from "./generate/reference/endpoint";
import { errorsPage } from "./generate/reference/errors";
import { fleetPage } from "./generate/reference/fleet";
import { functionsPage } from "./generate/reference/functions";
import { platformsPage } from "./generate/reference/platforms";
import { installationPage, registryIndex } from "./generate/registry-pages";
import { reviewSchema } from "./generate/review-schema";
import { packageSchema } from "./generate/schema";
import { sdkModel } from "./generate/sdk-model";
import { templates } from "./generate/templates";
import { traceabilityPage } from "./generate/traceability";

const { version } = JSON.parse(read("package.json") ?? "{}");

/** Every generated file of the tree, by its path. */
const generated: Record<string, () => string | Promise<string>> = {
  "README.md": () => readme(read("README.md") ?? "", version),
  "emulator/README.md": () => emulatorReadme(read("emulator/README.md") ?? "", version),
  "schema.json": () => packageSchema(version),
  "review.schema.json": reviewSchema,
  "sdk/model.gen.ts": sdkModel,
  "docs/reference/endpoint.md": endpointPage,
  "docs/reference/fleet.md": fleetPage,
  "docs/reference/functions.md": functionsPage,
  "docs/reference/configuration.md": configurationPage,
  "docs/reference/errors.md": errorsPage,
  "docs/platforms.md": platformsPage,
  "docs/traceability.md": traceabilityPage,
  "docs/postgres.md": () => settingsPage(read("docs/postgres.md") ?? ""),
  "emulator/model/pg-settings.gen.ts": settingsModel,
  "docs/_index.md": registryIndex,
  "docs/installation-configuration.md": () => installationPage(version),
  "package.json": () => packageJson(read("package.json") ?? ""),
  "emulator/package.json": () => packageJson(read("emulator/package.json") ?? "", "emulator"),
  ...templates(version),
};

/** Writes the generated files; with `--check` writes nothing and fails, naming those that are stale. */
async function main(root: string, check: boolean): Promise<void> {
  const stale: string[] = [];
  for (const [path, generate] of Object.entries(generated)) {
    const file = join(root, path);
    const text = await generate();
    if (read(file) === text) continue;
    stale.push(path);
    if (check) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  if (read(join(root, RECORDED_FROM)) !== recordedFrom(root)) {
    console.error(
      `the recorded plans of the review are not of ${RECORDED_FROM}'s sources any more: run \`make generate PLANS=1\``,
    );
    process.exitCode = 1;
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
