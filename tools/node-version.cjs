// Says which Node is needed before anything else can fail for want of it. Written for any Node there is.
const engines = require("../package.json").engines;
const needed = engines.node.replace(">=", "");
const [wantMajor = 0, wantMinor = 0] = needed.split(".").map(Number);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < wantMajor || (major === wantMajor && minor < wantMinor)) {
  console.error(`This project needs Node ${needed} or newer; \`node\` here is ${process.versions.node}.`);
  process.exit(1);
}
