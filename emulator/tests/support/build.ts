import { execFileSync } from "node:child_process";
import { root } from "../../../tools/root.mjs";

/** Before the tests: the bundles as the sources are now, which those of the command and of the package run. */
export default function build(): void {
  execFileSync("make", ["--silent", "build"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}
