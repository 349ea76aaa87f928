import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import ts from "typescript";

/** A TypeScript program for Pulumi, compiled into its own folder. */
export interface CompiledProgram {
  /** The project's name in its `Pulumi.yaml`. */
  name: string;
  /** Evaluates the program anew for each run, like the engine; its exports are the stack's outputs. */
  program: PulumiFn;
}

/** Other JSON files: settings of npm and the compiler. */
const SETTINGS = new Set(["package.json", "package-lock.json", "tsconfig.json"]);

/**
 * Compiles a folder's program as Pulumi's Node.js host does (file by file, to CommonJS) into `folder`, with
 * `Pulumi.yaml` and JSON data. Node must find the program's packages from there. Throws on syntax errors; types are not
 * checked.
 */
export function compileProgram(source: string, folder: string): CompiledProgram {
  const settings = readFileSync(join(source, "Pulumi.yaml"), "utf8");
  const name = /^name: *([\w.-]+)/m.exec(settings)?.[1];
  if (!name) throw new Error(`${join(source, "Pulumi.yaml")} names no project`);
  const file = join(source, "index.ts");
  const { outputText, diagnostics = [] } = ts.transpileModule(readFileSync(file, "utf8"), {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS, esModuleInterop: true },
  });
  const [problem] = diagnostics;
  if (problem) throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(problem.messageText, "\n")}`);
  const compiled = join(folder, "index.cjs");
  mkdirSync(dirname(compiled), { recursive: true });
  writeFileSync(join(folder, "Pulumi.yaml"), settings);
  writeFileSync(compiled, outputText);
  const data = readdirSync(source).filter((name) => name.endsWith(".json") && !SETTINGS.has(name));
  for (const name of data) copyFileSync(join(source, name), join(folder, name));
  const require = createRequire(compiled);
  return {
    name,
    program: async () => {
      delete require.cache[require.resolve(compiled)];
      return { ...require(compiled) };
    },
  };
}
