// @ts-nocheck: Pulumi's Node.js host compiles what it loads.
// Ends the process where its Node is too old, before anything can fail or hang for want of a newer one. Written for any Node there is.
const needed = "20.19.0";
const [wantMajor = 0, wantMinor = 0] = needed.split(".").map(Number);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < wantMajor || (major === wantMajor && minor < wantMinor)) {
  console.error(`pulumi-pgcompute needs Node ${needed} or newer; \`node\` here is ${process.versions.node}.`);
  process.exit(1);
}
