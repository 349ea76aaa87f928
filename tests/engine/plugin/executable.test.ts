import { execFile } from "node:child_process";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { promisify } from "node:util";
import { extract } from "tar";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { platformName, platforms, thisPlatform } from "../../../tools/pack/platforms.mjs";
import { bundleOfRelease } from "../../../tools/pack/plugin-bundle.mjs";
import { packPlugins } from "../../../tools/pack/plugin-tarballs.mjs";
import { root } from "../../../tools/root.mjs";
import { casesOf, play } from "../network/cases";
import { openPlaces, type Places } from "../network/places";
import { pluginWay } from "../network/ways";
import { useBench } from "../support/platform";

const run = promisify(execFile);
const bench = useBench();
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

let folder = "";
/** This machine's. */
let tarball = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pgcompute-executable-"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { bundle } = await bundleOfRelease(folder, serverUrl());
  const wanted = platforms.filter((one) => platformName(one) === thisPlatform());
  [tarball = ""] = await packPlugins(folder, { bundle, version, platforms: wanted, level: 1 });
  mkdirSync(unpacked());
  await extract({ file: tarball, cwd: unpacked() });
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Where the engine fetches the tarball. */
const server = createServer(({ url = "" }, response) => {
  const file = join(folder, basename(url));
  if (!existsSync(file)) response.writeHead(404).end();
  else createReadStream(file).pipe(response.setHeader("content-length", statSync(file).size));
});

const serverUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** The tarball's folder. */
const unpacked = () => join(folder, "unpacked");

describe("the platform, reached by the plugin's executable, through", () => {
  let places: Places;
  beforeAll(async () => {
    places = await openPlaces();
  });
  afterAll(() => places.close());

  const executable = () => pluginWay("executable", [join(unpacked(), "pulumi-resource-pgcompute")]);

  it.concurrent.each(casesOf("executable"))("$name", (each) => play(executable(), each, places));
});

describe("the plugin's tarball", () => {
  /** A program whose engine is to find the plugin by itself, with these folders on PATH, and no node. */
  function open({ folders = [] as string[], options = {} } = {}) {
    const branchId = bench.branch();
    const project = bench.project();
    const properties = { projectId: bench.projectId, branchId };
    const main = { type: "pgcompute:index:Endpoint", properties, options };
    const stack = project.yaml({ plugins: undefined, resources: { main } });
    const env = { PATH: [...folders, project.folders.bin].join(delimiter) };
    /** What an `up` says that has made the endpoint. */
    const upped = async (more: Record<string, undefined> = {}) => {
      const { changes, text } = await stack.up({ env: { ...env, ...more } });
      expect(changes).toMatchObject({ create: 1 });
      expect(bench.on(branchId)).toHaveLength(1);
      return text;
    };
    return { project, stack, env, upped };
  }

  it("serves a YAML program when it is unpacked on PATH, without node", async () => {
    const work = unpacked();
    const { stack, env, upped } = open({ folders: [work] });
    expect((await run("/bin/sh", ["-c", "command -v node || echo none"], { env })).stdout).toBe("none\n");
    expect(await upped()).toContain(`from $PATH at ${join(work, "pulumi-resource-pgcompute")}`);
    await stack.destroy({ env });
  });

  it("is added to a program by its executable once it is unpacked, without node", async () => {
    const work = unpacked();
    const { project, stack, env, upped } = open({ folders: [work] });
    const added = await project.cli(["package", "add", join(work, "pulumi-resource-pgcompute")], { env });
    expect(added.code, added.text).toBe(0);
    const { packages } = parse(readFileSync(join(project.folders.program, "Pulumi.yaml"), "utf8"));
    expect(packages).toEqual({ pgcompute: `pgcompute@${version}` });
    await upped();
    await stack.destroy({ env });
  });

  it("serves one when the engine installs it, without node", async () => {
    const { project, stack, env, upped } = open();
    const missing = await stack.preview({ env, expectFailure: true });
    expect(missing.failure).toContain("pgcompute");
    const install = ["plugin", "install", "resource", "pgcompute", `v${version}`, "--file", tarball];
    const installed = await project.cli([...install, "--non-interactive"], { env });
    expect(installed.code, installed.text).toBe(0);
    expect(await upped()).not.toContain("$PATH");
  });

  it("is fetched from where the program says that it is", async () => {
    const { upped } = open({ options: { version, pluginDownloadURL: serverUrl() } });
    expect(await upped({ PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: undefined })).not.toContain("$PATH");
  });

  it("answers --version, without node and through a link", async () => {
    const link = join(folder, "linked");
    symlinkSync(join(unpacked(), "pulumi-resource-pgcompute"), link);
    expect((await run(link, ["--version"], { env: {} })).stdout).toBe(`${version}\n`);
  });
});
