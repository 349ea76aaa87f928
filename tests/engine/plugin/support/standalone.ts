/** A program that stands alone: its platform is the emulator, installed beside the provider. */
export const program = `
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import { Endpoint, getComputeSize } from "pulumi-pgcompute";
import { createEmulator } from "pgcompute-emulator";

const emulator = await createEmulator({ operationMs: 20 });
const branchId = emulator.admin.seedBranch(emulator.projectId).id;
const stack = await LocalWorkspace.createOrSelectStack({
  stackName: "dev",
  projectName: "standalone",
  program: async () => {
    const main = new Endpoint("main", { projectId: emulator.projectId, branchId, sizeCu: 2 });
    return { host: main.host };
  },
});
await stack.setAllConfig({
  "pgcompute:baseUrl": { value: emulator.url },
  "pgcompute:apiKey": { value: emulator.apiKey, secret: true },
});
const up = await stack.up();
const made = emulator.admin.project(emulator.projectId).endpoints.filter((one) => one.branch_id === branchId);
// The package's own command, as npm links it.
const { stdout: listed } = await promisify(execFile)("node_modules/.bin/pgcompute", ["operations", "--json"], {
  env: {
    PATH: process.env.PATH,
    PGCOMPUTE_API_KEY: emulator.apiKey,
    PGCOMPUTE_BASE_URL: emulator.url,
    PGCOMPUTE_PROJECT_ID: emulator.projectId,
  },
});
await stack.destroy();
const left = emulator.admin.project(emulator.projectId).endpoints.filter((one) => one.branch_id === branchId);
await emulator.close();
console.log(JSON.stringify({
  host: up.outputs.host.value,
  hosts: made.map(({ host }) => host),
  left,
  listed: JSON.parse(listed).operations,
  maxConnections: getComputeSize(2, "specification")?.maxConnections,
}));
`;
