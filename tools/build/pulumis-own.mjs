/**
 * Beside a program's `@pulumi/pulumi`, gRPC and protobuf must be that package's own copies: a second one has other classes,
 * and generated messages overwrite each other in a global. They are nobody's direct dependency, so only from the
 * package itself can they be found, whatever the package manager.
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
