import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { undici } from "../../../tools/build/unreached.mjs";
import { root } from "../../../tools/root.mjs";

/**
 * The members of each export, inherited ones included; in a process of its own, as loading a whole package may change
 * them.
 */
function partsOf(code: string): Record<string, string[]> {
  const script = `
    ${code}
    const partsOf = (one) => one === null || one === Object.prototype ? [] :
      [...Reflect.ownKeys(one).map(String), ...partsOf(Object.getPrototypeOf(one))];
    console.log(JSON.stringify(Object.fromEntries(Object.entries(exports).map(([name, { prototype }]) => [name, partsOf(prototype)]))));`;
  return JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" }));
}

it("what the bundles have of undici is as whole as when all of it is loaded", () => {
  const bundled = partsOf(undici);
  const names = Object.keys(bundled);
  const whole = partsOf(
    `const whole = require("undici"); for (const name of ${JSON.stringify(names)}) exports[name] = whole[name];`,
  );
  expect(bundled).toEqual(whole);
  expect(whole.Agent).toEqual(expect.arrayContaining(["dispatch", "connect", "destroy"]));
});
