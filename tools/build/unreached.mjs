/**
 * Leaves out parts of bundled packages that this one never uses: a bundle is read whole at each start, and most of it
 * runs.
 *
 * undici is loaded for its pools alone. Its main module also loads fetch, caches, web sockets and mocks; and it adds
 * the pools' methods, one of which opens a proxy's tunnel, so that is done here. The other modules are lazy, for kinds
 * of bodies that are never sent and a gRPC service that is never offered.
 */
export const undici = `
Object.assign(require("undici/lib/dispatcher/dispatcher.js").prototype, require("undici/lib/api/index.js"));
exports.Agent = require("undici/lib/dispatcher/agent.js");
exports.EnvHttpProxyAgent = require("undici/lib/dispatcher/env-http-proxy-agent.js");
exports.Pool = require("undici/lib/dispatcher/pool.js");
`;
const unreached = /^@grpc\/proto-loader$|\/web\/fetch\/body\.js$/;
const door = "\0undici-pools";
const nothing = "\0unreached:";

/** @type {import("rolldown").Plugin} */
export const withoutUnreached = {
  name: "without-unreached",
  resolveId(id) {
    if (id === "undici") return door;
    return unreached.test(id) ? nothing + id : undefined;
  },
  load(id) {
    if (id === door) return { code: undici, moduleType: "js" };
    if (!id.startsWith(nothing)) return undefined;
    const message = `${id.slice(nothing.length)} is not in this bundle`;
    return { code: `throw new Error(${JSON.stringify(message)});`, moduleType: "js" };
  },
};
