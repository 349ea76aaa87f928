/** Which folder of the emulator may import which: only those below. */

/** The folders of emulator/, lowest first. Each may use those before it. */
const layers = [
  "lib",
  "settings",
  "faults",
  "model",
  "lifecycle",
  "requests",
  "http",
  "routes",
  "admin",
  "console",
  "postgres",
];

/**
 * Lower folders that a folder must not use: API, admin calls and console are independent of each other, and the
 * Postgres servers of HTTP.
 *
 * @type {Record<string, string[]>}
 */
const notUsed = {
  console: ["admin", "routes"],
  admin: ["routes"],
  postgres: ["requests", "http", "routes", "admin", "console"],
};

/** For dependency-cruiser, beside the rules of import-rules.mjs. */
export const emulatorImportRules = [
  ...layers.map((folder, height) => {
    const uses = layers.slice(0, height).filter((lower) => !(notUsed[folder] ?? []).includes(lower));
    return {
      name: `emulator-${folder}-imports`,
      comment: `emulator/${folder} may import ${uses.length > 0 ? uses.join(", ") : "nothing of the emulator"} besides itself`,
      severity: "error",
      from: { path: `^emulator/${folder}/` },
      to: { path: "^emulator/", pathNot: `^emulator/(${[folder, ...uses].join("|")})/` },
    };
  }),
  {
    name: "emulator-known-folders",
    comment: "a folder of emulator/ that has no place in tools/check/emulator-import-rules.mjs yet",
    severity: "error",
    from: { path: "^emulator/[^/]+/", pathNot: `^emulator/(${layers.join("|")}|tests)/` },
    to: {},
  },
  {
    name: "emulator-no-circle",
    comment: "files of the emulator that need each other, even for a type, are one file or three",
    severity: "error",
    from: { path: "^emulator/" },
    to: { path: "^emulator/", circular: true },
  },
];
