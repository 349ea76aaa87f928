/**
 * Parts of bundled packages that this one never reaches, left out: whatever is in a bundle is read and most of it run at each start.
 *
 * undici is loaded for its pools alone; its front door also opens fetch, caches, web sockets and mocks, and it gives every pool its calls, by
 * one of which a tunnel through a proxy is made: that it does here, too. The other modules are asked for lazily, for a kind of body
 * that is never sent and for a service of gRPC that is never offered.
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
