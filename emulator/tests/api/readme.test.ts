import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type FastifyInstance, fastify } from "fastify";
import { expect, it } from "vitest";
import { root } from "../../../tools/root.mjs";
import { adminRoutes } from "../../admin/admin-routes";
import { EmulatorAdmin } from "../../admin/emulator-admin";
import { Listener } from "../../http/listener";
import { Runtime } from "../../http/runtime";
import { api } from "../../routes/api";
import { ADMIN_PREFIX } from "../../server";
import { fixedChoices, settingChoices } from "../../settings/choices";
import { defaultSettings } from "../../settings/settings";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

it("the page of the emulator has every setting with its default, in the order of the table", () => {
  const rows = [...readme.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| ([^|]+) \|/gm)]
    .map(([, names = "", values = ""]) => [words(names), values] as const)
    .filter(([[first = ""]]) => Object.hasOwn(settingChoices, first));
  expect(rows.flatMap(([names]) => names)).toEqual(Object.keys(settingChoices));
  for (const [names, values] of rows) {
    const defaults = names.map((name) => defaultSettings[name as keyof typeof defaultSettings]);
    const texts = defaults.flatMap((value) => (typeof value === "object" ? Object.values(value) : [value ?? "none"]));
    expect(words(values), names.join()).toEqual(texts.filter((text) => text !== "none").map(String));
  }
});

it("and everything that is fixed at the start", () => {
  const paragraph = /^Fixed when it starts:.*?\n\n/ms.exec(readme)?.[0] ?? "";
  for (const name of Object.keys(fixedChoices)) expect(paragraph).toContain(`\`${name}\``);
});

it("names every call of the API and of the admin, and no other", async () => {
  const runtime = new Runtime({});
  const app = fastify();
  const adminCalls: string[] = [];
  await app.register(async (part) => api(part, runtime));
  const ofAdmin = async (part: FastifyInstance) => {
    part.addHook("onRoute", ({ method, url }) => {
      const path = url.slice(ADMIN_PREFIX.length).replace(/:\w+/g, "ID") || "/";
      if (method !== "HEAD") adminCalls.push(`${method} ${path}`);
    });
    adminRoutes(part, runtime, new EmulatorAdmin(runtime, new Listener("127.0.0.1", 0), []));
  };
  await app.register(ofAdmin, { prefix: ADMIN_PREFIX });
  await app.ready();
  const paragraph = /^Routes are named .*?\n\n/ms.exec(readme)?.[0] ?? "";
  expect(inFull(words(paragraph)).sort()).toEqual([...runtime.faults.routes].sort());
  const rows = [...readme.matchAll(/^\| (`(?:GET|POST|PATCH|DELETE) [^|]+) \|/gm)];
  const told = rows.flatMap(([, calls = ""]) => words(calls).filter((word) => /^[A-Z]+ /.test(word)));
  expect(told.map((call) => call.replace(/\?.*/, "")).sort()).toEqual([...new Set(adminCalls)].sort());
});

it("leads out of the package only by whole addresses, of what the repository has", () => {
  const inRepository =
    /^https:\/\/(?:raw\.githubusercontent|github)\.com\/pulumi-pgcompute\/pulumi-pgcompute(?:\/blob)?\/main\//;
  const targets = [...readme.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target = ""]) => target);
  expect(targets.filter((target) => !target.startsWith("https://"))).toEqual([]);
  const paths = targets.filter((target) => inRepository.test(target)).map((target) => target.replace(inRepository, ""));
  expect(paths).toContain("docs/postgres.md");
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

/** The names in full: a word with a point before it goes with the noun of the word before. */
function inFull(names: readonly string[]): string[] {
  let noun = "";
  return names.map((name) => {
    if (!name.startsWith(".")) [noun = ""] = name.split(".", 1);
    return name.startsWith(".") ? noun + name : name;
  });
}

/** What stands in backticks. */
function words(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}
