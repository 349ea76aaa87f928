/**
 * gRPC and protobuf must be the copies of the program's `@pulumi/pulumi`: second copies have other classes, and their
 * generated messages overwrite each other in a global. As nobody's direct dependency, they are found only from that
 * package.
 */
const theirs = /^(@grpc\/grpc-js|google-protobuf)(\/|$)/;
const prefix = "\0of-pulumi:";

/** @type {import("rolldown").Plugin} */
export const pulumisOwn = {
  name: "pulumis-own",
  resolveId: (id) => (theirs.test(id) ? prefix + id : undefined),
  load(id) {
    if (!id.startsWith(prefix)) return undefined;
    const lookUp = `require("node:module").createRequire(require.resolve("@pulumi/pulumi/package.json"))`;
    return { code: `module.exports = ${lookUp}(${JSON.stringify(id.slice(prefix.length))});`, moduleType: "js" };
  },
};
