import { execFile } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { extract } from "tar";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { scratchInstall as install } from "../../../tools/npm.mjs";
import { pack } from "../../../tools/pack/main.mjs";
import { platformName, platforms } from "../../../tools/pack/platforms.mjs";
import { startRegistry } from "../../../tools/registry.mjs";
import { tagPackages } from "../../../tools/release/built-tag.mjs";
import { publish } from "../../../tools/release/publish.mjs";
import { root, userCache } from "../../../tools/root.mjs";
import { commandIn } from "../../support/commands";
import { type GitServer, openGitServer } from "../support/git-server";
import { useBench } from "../support/platform";
import { createProject, type Project } from "../support/project";
import { usePlugin } from "./support/plugin-process";
import { program } from "./support/standalone";

const run = promisify(execFile);
const bench = useBench();
const { version: pulumiVersion } = await import("@pulumi/pulumi/package.json");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const pluginUrl = "https://plugins.example.test";

// Outside of the clone, whose node_modules a program must not find.
let folder = "";
let packed: Awaited<ReturnType<typeof pack>>;
let registry: Awaited<ReturnType<typeof startRegistry>> | undefined;
let gitServer: GitServer | undefined;
const gitUrl = () => `${gitServer?.url}/owner/pulumi-pgcompute`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pgcompute-release-"));
  registry = await startRegistry(["pulumi-pgcompute", "pgcompute-emulator"]);
  const out = join(folder, "out");
  // The executables: executable.test.ts.
  const scripts = platforms.filter((one) => platformName(one) === "darwin-arm64");
  packed = await pack(out, { platforms: scripts, level: 1, pluginUrl });
  const anybody = `--${registry.url.replace("http:", "")}/:_authToken=none`;
  await publish(out, {
    npm: ["--registry", registry.url, anybody],
    release: async (files) =>
      cpSync(out, released(), { recursive: true, filter: (file) => [out, ...files].includes(file) }),
  });
  const repository = join(folder, "git", "owner", "pulumi-pgcompute");
  await run("git", ["clone", "--quiet", "--bare", "--depth", "1", `file://${root}`, repository]);
  tagPackages(packed.npm, { repository });
  gitServer = await openGitServer(join(folder, "git"));
  mkdirSync(unpacked());
  const [script = ""] = packed.plugins;
  await extract({ file: script, cwd: unpacked() });
});
afterAll(() => {
  registry?.close();
  gitServer?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** The place of the release: what was published there, a file each. */
const released = () => join(folder, "released");

/** The folder of the plugin's tarball. */
const unpacked = () => join(folder, "unpacked");

/** PATH with these folders, the engine's and node's, and nothing of the clone. */
function pathOf(project: Project, ...folders: string[]): string {
  return [...folders, project.folders.bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
}

/** Makes the folder of a program that has Pulumi's SDK: installed once by this Node, for all clones, and copied. */
async function makeFolder(work: string): Promise<void> {
  const kept = join(userCache(), "standalone", `${pulumiVersion}-${process.version}`);
  const partial = `${kept}.${process.pid}.partial`;
  if (!existsSync(kept)) {
    mkdirSync(partial, { recursive: true });
    writeFileSync(join(partial, "package.json"), '{ "name": "standalone", "private": true, "type": "module" }');
    await run("npm", [...install, `@pulumi/pulumi@${pulumiVersion}`], { cwd: partial });
    // Another clone may be first.
    if (!existsSync(kept)) renameSync(partial, kept);
    rmSync(partial, { recursive: true, force: true, maxRetries: 10 });
  }
  cpSync(kept, work, { recursive: true, verbatimSymlinks: true });
}

/** What a registry says of a package. */
interface Published {
  versions: Record<string, { dist: { tarball: string } }>;
}

describe("what is released", () => {
  it("has sums, and says what is in it", async () => {
    const { stdout } = await run("sha256sum", ["--check", "SHA256SUMS"], { cwd: released() });
    expect(stdout.trim().split("\n")).toHaveLength(packed.plugins.length + packed.npm.length + 1);
    const { components } = JSON.parse(readFileSync(join(released(), "sbom.cdx.json"), "utf8"));
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["node", "pgcompute-emulator", "fastify", "@grpc/grpc-js", "undici", "zod"]),
    );
    expect(names).not.toContain("vitest");
  });

  it("is in the registry as it was packed: what npm installs from there is what the tags below have", async () => {
    for (const tarball of packed.npm) {
      const [, name] = /^(.+)-\d+\.\d+\.\d+.*\.tgz$/.exec(basename(tarball)) ?? [];
      const document = (await (await fetch(`${registry?.url}/${name}`)).json()) as Published;
      const { dist } = document.versions[version] ?? expect.fail(`no ${name}`);
      const served = Buffer.from(await (await fetch(dist.tarball)).arrayBuffer());
      expect(served.equals(readFileSync(tarball)), tarball).toBe(true);
    }
  });

  it("is not published where a file is not what its sum says", async () => {
    const broken = join(folder, "broken");
    cpSync(released(), broken, { recursive: true });
    appendFileSync(join(broken, "sbom.cdx.json"), " ");
    const reached = () => expect.unreachable("it was published");
    await expect(publish(broken, { npm: ["--dry-run"], release: reached })).rejects.toThrow(
      "sbom.cdx.json is not what SHA256SUMS says",
    );
  });
});

describe("the tag of a release, at a git address", () => {
  it("is all that a program in an empty folder has to install beside Pulumi, and the emulator", async () => {
    const work = join(folder, "program");
    await makeFolder(work);
    const packages = ["", "emulator-"].map((prefix) => `git+${gitUrl()}.git#${prefix}v${version}`);
    const installing = { ...process.env, ...gitServer?.env };
    await run("npm", [...install, "--registry", registry?.url ?? "", ...packages], { cwd: work, env: installing });
    writeFileSync(join(work, "program.mjs"), program);
    const project = createProject({ name: "standalone" });
    const env = { ...project.env, PATH: pathOf(project, join(work, "node_modules/@pulumi/pulumi")) };
    const { stdout } = await run(process.execPath, ["program.mjs"], { cwd: work, env });
    const result = JSON.parse(stdout);
    expect(result).toEqual({
      host: expect.stringMatching(/^ep-.*\.compute\.test$/),
      hosts: [result.host],
      left: [],
      listed: expect.arrayContaining([expect.objectContaining({ action: "start_compute", status: "finished" })]),
      maxConnections: 901,
    });
    const command = join(work, "node_modules/.bin/pgcompute");
    expect((await run(command, ["--version"], { cwd: work })).stdout).toBe(`${version}\n`);
    // The plugin is in the same package, and the engine starts it from there.
    const plugin = join(work, "node_modules/pulumi-pgcompute/bin/pulumi-resource-pgcompute");
    const given = await project.cli(["package", "get-schema", plugin], { env: { PATH: pathOf(project) } });
    expect(given.code, given.text).toBe(0);
    expect(JSON.parse(given.stdout)).toMatchObject({ name: "pgcompute", pluginDownloadURL: pluginUrl });
    project.close();
  });

  it("is fetched by the engine, which then asks for the language host that runs it", async () => {
    const project = createProject();
    const added = await project.cli(["package", "add", `${gitUrl()}@${version}`], { env: gitServer?.env ?? {} });
    expect(added.text).toMatch(/Downloading provider localhost:\d+_owner_pulumi-pgcompute\.git/);
    expect(added.text).toMatch(/language plugin 'pulumi-language-nodejs'|no language plugin/);
    expect(added.code).not.toBe(0);
    project.close();
  });

  it("is served by that host as it is, with Pulumi's SDK beside it, and has nothing to build", async () => {
    // As the engine names the folder of what it fetches.
    const work = join(folder, `resource-git.example.test_owner_pulumi-pgcompute.git-v${version}`);
    const clone = ["clone", "--quiet", "--depth", "1", "--branch", `v${version}`, gitUrl(), work];
    await run("git", clone, { env: { ...process.env, ...gitServer?.env } });
    const own = JSON.parse(readFileSync(join(work, "package.json"), "utf8"));
    expect(own).not.toHaveProperty("devDependencies");
    expect(own).not.toHaveProperty("dependencies");
    expect(own).not.toHaveProperty("scripts");
    expect(parse(readFileSync(join(work, "PulumiPlugin.yaml"), "utf8"))).toEqual({ runtime: "nodejs" });
    const { stdout } = await run("git", ["ls-tree", "-r", "--format=%(objectsize)", "HEAD"], { cwd: work });
    const bytes = stdout
      .trim()
      .split("\n")
      .reduce((sum, size) => sum + Number(size), 0);
    expect(bytes).toBeLessThan(6e6);

    // As npm does for the host: the one package that this one asks its user for.
    symlinkSync(join(root, "node_modules"), join(work, "node_modules"));
    const runPlugin = createRequire(join(root, "package.json")).resolve("@pulumi/pulumi/cmd/run-plugin");
    const plugin = await usePlugin({ command: [process.execPath, runPlugin, work] });
    const { schema } = await plugin.call<{ schema: string }>("getSchema");
    expect(JSON.parse(schema)).toMatchObject({ name: "pgcompute", version });
  });

  it("is served from a clone's folder with the version of the package, without which no SDK is made", async () => {
    const runPlugin = createRequire(join(root, "package.json")).resolve("@pulumi/pulumi/cmd/run-plugin");
    const plugin = await usePlugin({ command: [process.execPath, runPlugin, root] });
    const { schema } = await plugin.call<{ schema: string }>("getSchema");
    expect(JSON.parse(schema)).toMatchObject({ name: "pgcompute", version });
  });
});

describe("the plugin's tarball where no executable is built", () => {
  it("is a script, which starts with node and says where there is none", async () => {
    const script = join(unpacked(), "pulumi-resource-pgcompute");
    const withNode = { PATH: dirname(process.execPath) };
    expect((await run(script, ["--version"], { env: withNode })).stdout).toBe(`${version}\n`);
    await expect(run(script, ["--version"], { env: { PATH: folder } })).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^pulumi-resource-pgcompute needs Node\.js .* on PATH.*\n$/),
    });
  });

  it("names the command of this very release where a message needs one, and a folder without the package runs it", async () => {
    const project = bench.project();
    const properties = { projectId: bench.projectId, branchId: "main" };
    const stack = project.yaml({
      plugins: undefined,
      resources: { main: { type: "pgcompute:index:Endpoint", properties } },
    });
    const refused = await stack.preview({ env: { PATH: pathOf(project, unpacked()) }, expectFailure: true });
    const { url, apiKey } = bench.emulator;
    const printed = commandIn(refused.failure ?? "", "branches");
    const command = `npx -p pulumi-pgcompute@${version} pgcompute branches --project ${bench.projectId} --base-url ${url}`;
    // The key is in the stack's configuration, and here in the environment.
    expect(printed).toBe(`PGCOMPUTE_API_KEY="$(pulumi config get pgcompute:apiKey)" ${command}`);
    const registered = {
      npm_config_registry: registry?.url,
      npm_config_yes: "true",
      npm_config_cache: `${folder}/npm`,
      // Pulumi's SDK takes half a minute, and the command has no use for it.
      npm_config_legacy_peer_deps: "true",
    };
    const listed = await run("/bin/sh", ["-c", `${command} --json`], {
      cwd: folder,
      env: { PATH: pathOf(project), HOME: folder, PGCOMPUTE_API_KEY: apiKey, PGCOMPUTE_BASE_URL: url, ...registered },
    });
    expect(JSON.parse(listed.stdout).branches).not.toEqual([]);
  });
});
