/**
 * Whether a release exists: `make release` dates the changelog, and with that README, the templates, the pages of
 * Pulumi's registry, the schema and the command line name registries and tags.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.mjs";
import { releasedVersion } from "./plan.mjs";

/** True once CHANGELOG.md has a dated version. */
export const released = releasedVersion(readFileSync(join(root, "CHANGELOG.md"), "utf8")) !== undefined;
