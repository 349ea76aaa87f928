import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { programFiles } from "../../cli/init/program";
import { profiles } from "../../provider/platform/profiles/profiles";
import { type Bench, useBench } from "../support/bench";
import { runAlone, runCommand, type ShellOptions } from "./support/open-shell";

let bench: Bench;
let parent: string;
beforeEach(async () => {
  bench = await useBench();
  parent = mkdtempSync(join(tmpdir(), "pgcompute-init-"));
});
afterEach(() => rmSync(parent, { recursive: true }));

const folder = () => join(parent, "My shop");
const read = (file: string) => readFileSync(join(folder(), file), "utf8");

function init(args: string[], options: ShellOptions = {}) {
  const env = { PGCOMPUTE_PROJECT_ID: "", ...options.env };
  return runCommand(bench, ["init", folder(), ...args], { ...options, env });
}

describe("init", () => {
  it("takes the only project and its primary branch, with the endpoint that is there", async () => {
    const { projectId } = bench.emulator;
    const { code, err } = await init([]);
    expect(code).toBe(0);
    expect(err).toContain(`for branch main of project ${projectId}`);
    expect(read("index.ts")).toMatch(
      /autoscalingLimitMinCu: 0\.25,\n {2}autoscalingLimitMaxCu: 0\.25,\n.*\n {2}adoptExisting: true/,
    );
    expect(parse(read("Pulumi.dev.yaml"))).toEqual({
      config: {
        "pgcompute:baseUrl": bench.emulator.url,
        "pgcompute:platform": "specification",
        "My-shop:projectId": projectId,
        "My-shop:branch": "main",
      },
    });
  });

  it("prints lines that a shell takes for what they say", async () => {
    expect((await init(["--branch", "main"])).out).toContain(`cd '${folder()}'\n`);
  });

  it("lets the program have a size beyond the usual ones where the endpoint has it already", () => {
    const target = { projectId: "p-1", branch: "main", existing: { minCu: 2, maxCu: 8 } };
    const files = programFiles({
      name: "shop",
      language: "yaml",
      target,
      profile: profiles.specification,
      packageSource: "^1.0.0",
      goModule: "",
    });
    expect(parse(files["Pulumi.dev.yaml"] ?? "").config).toMatchObject({ "pgcompute:maxSizeCu": "8" });
  });

  it.each(["pgcompute", "1st"])("gives a program in a folder %s another name than that", async (name) => {
    const target = join(parent, name);
    await runAlone(["init", target, "--emulator"]);
    expect(parse(readFileSync(join(target, "Pulumi.yaml"), "utf8")).name).toBe("database");
    expect(Object.keys(parse(readFileSync(join(target, "Pulumi.dev.yaml"), "utf8")).config)).toEqual([
      "pgcompute:platform",
      "database:projectId",
      "database:branch",
    ]);
  });

  it("creates an endpoint of its own on a branch without one", async () => {
    bench.emulator.admin.seedBranch(bench.emulator.projectId, { name: "dev" });
    const { out } = await init(["--language", "yaml", "--branch", "dev"]);
    expect(out).toContain("pulumi stack init dev\npulumi config set --secret pgcompute:apiKey");
    expect(out).toContain(`# or set PGCOMPUTE_API_KEY and PGCOMPUTE_BASE_URL=${bench.emulator.url} for every run\n`);
    const { name, runtime, resources } = parse(read("Pulumi.yaml"));
    expect({ name, runtime }).toEqual({ name: "My-shop", runtime: "yaml" });
    expect(resources.primary.properties).not.toHaveProperty("adoptExisting");
    expect(existsSync(join(folder(), "package.json"))).toBe(false);
  });

  it("asks a person which project and which branch", async () => {
    const { admin } = bench.emulator;
    const { project } = admin.seedProject({ id: "zebra-1", name: "Zebra" });
    admin.seedBranch(project.id, { name: "dev" });
    const answers = ["zebra-1", "2"];
    const { code, err } = await init([], { terminal: true, answers });
    expect(code).toBe(0);
    expect(err).toMatch(/1 {2}quiet-harbor-12345678.*\n {2}2 {2}zebra-1 +Zebra\nWhich project, by number or name\? /);
    expect(err).toMatch(/Which branch, by number or name\? /);
    expect(parse(read("Pulumi.dev.yaml")).config).toMatchObject({ "My-shop:projectId": "zebra-1" });
  });

  it("names the choices where nobody can be asked, and writes nothing", async () => {
    bench.emulator.admin.seedProject({ id: "zebra-1" });
    const { code, err } = await init([]);
    expect(code).toBe(2);
    expect(err).toContain("which project? Give --project: quiet-harbor-12345678, zebra-1");
    expect((await init(["--project", "zebra-1", "--branch", "deev"])).err).toContain(
      'the project has no branch "deev"; it has main',
    );
    expect(existsSync(folder())).toBe(false);
  });

  it("names its program in a package.json that is there and names none, or one that is missing", async () => {
    const mainOf = async (own: object, files: string[] = []) => {
      rmSync(folder(), { recursive: true, force: true });
      mkdirSync(folder());
      for (const file of files) writeFileSync(join(folder(), file), "");
      writeFileSync(join(folder(), "package.json"), JSON.stringify(own));
      expect((await runAlone(["init", folder(), "--emulator"])).code).toBe(0);
      return JSON.parse(read("package.json")).main;
    };
    expect(await mainOf({ dependencies: {} })).toBe("index.ts");
    expect(await mainOf({ main: "index.js" })).toBe("index.ts");
    expect(await mainOf({ main: "server.js" }, ["server.js"])).toBe("server.js");
  });

  it.each(["index.ts", "package.json", ".gitignore"])(
    "writes nothing through a %s that is a link to nowhere",
    async (name) => {
      mkdirSync(folder());
      symlinkSync(join(parent, "elsewhere"), join(folder(), name));
      const { code, err } = await runAlone(["init", folder(), "--emulator"]);
      expect(existsSync(join(parent, "elsewhere"))).toBe(false);
      if (name === ".gitignore") expect(err).not.toContain(name);
      else expect([code, err]).toEqual([1, expect.stringMatching(`${name}.*nothing was written`)]);
    },
  );

  it("needs no key for the emulator, and writes none", async () => {
    const { code, out } = await runAlone(["init", folder(), "--emulator"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^npm install\npulumi login --local\n.*\nnpx --no-install pgcompute-emulator --branch dev --data .emulator --write-config/m,
    );
    expect(read("Pulumi.dev.yaml")).not.toMatch(/apiKey|baseUrl/);
  });

  it.each([
    ["yaml", "--emulator", { "pgcompute-emulator": expect.stringMatching(/^file:\.\..*\/emulator$/) }],
    ["typescript", "--emulator", { "pgcompute-emulator": expect.stringMatching(/^file:\.\..*\/emulator$/) }],
    ["typescript", "--branch=main", { "pgcompute-emulator": undefined }],
  ])("has the emulator installed where the program is for it: %s %s", async (language, option, expected) => {
    const args = ["--language", language, option];
    await (option === "--emulator" ? runAlone(["init", folder(), ...args]) : init(args));
    expect({ "pgcompute-emulator": undefined, ...JSON.parse(read("package.json")).devDependencies }).toMatchObject(
      expected,
    );
    expect(read(".gitignore")).toContain("node_modules/\n");
  });

  it("leaves the main file of a package.json alone that a program in YAML is put beside", async () => {
    mkdirSync(folder());
    const own = { main: "server.js", devDependencies: { "pgcompute-emulator": "file:emulator.tgz" } };
    writeFileSync(join(folder(), "package.json"), JSON.stringify(own));
    expect((await runAlone(["init", folder(), "--language", "yaml", "--emulator"])).code).toBe(0);
    expect(JSON.parse(read("package.json"))).toEqual(own);
  });

  it.each([
    ["python", "python", "__main__.py", /adopt_existing=True,\n\)/],
    ["go", "go", "main.go", /\/sdk\/go\/pgcompute"\n[\s\S]*AdoptExisting: pulumi\.Bool\(true\),\n\t\t\}\)/],
  ])("writes a program in %s, and the line that generates its SDK", async (language, runtime, file, adopts) => {
    const { code, out } = await init(["--language", language]);
    expect(code).toBe(0);
    expect(out).toMatch(/^pulumi package add \S*\.\.$|^pulumi package add \/?\S+$/m);
    expect(JSON.stringify(parse(read("Pulumi.yaml")).runtime)).toContain(runtime);
    expect(read(file)).toMatch(adopts);
    if (language === "go") expect(execFileSync("gofmt", ["-l", join(folder(), file)], { encoding: "utf8" })).toBe("");
  });

  it.each([
    ["--project", "zebra-1"],
    ["--base-url", "http://127.0.0.1:4011/api/v2"],
  ])("refuses %s for the emulator, whose program has its own, and writes nothing", async (...option) => {
    const { code, err } = await runAlone(["init", folder(), "--emulator", ...option]);
    expect(code).toBe(2);
    expect(err).toContain(`option "--emulator" cannot be used with option "${option[0]} `);
    expect(existsSync(folder())).toBe(false);
  });

  it("says how the key is given where there is none", async () => {
    const { code, err } = await runAlone(["init", folder()]);
    expect(code).toBe(2);
    expect(err).toContain("PGCOMPUTE_API_KEY");
  });
});
