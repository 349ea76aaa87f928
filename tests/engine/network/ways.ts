/** Everything that users run and that talks to the platform, each in a process of its own. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { root } from "../../../tools/root.mjs";
import { startPlugin } from "../plugin/support/plugin-process";

/** How reading the endpoints of a project ended: what was read as JSON, or what the user is told. */
export interface Ended {
  ok: boolean;
  text: string;
}

/** What is configured beside the environment. */
interface Config {
  baseUrl: string;
  apiKey?: string;
}

/** A way to read a project's endpoints. Its environment has the platform and the key, and otherwise only PATH. */
export interface Way {
  /** Fit for a host name and an id. */
  name: string;
  read(projectId: string, env: Record<string, string>, config?: Config): Promise<Ended>;
  /** True where whoever runs it says the configuration, by options. */
  isCommand?: true;
}

const { execPath } = process;

/** What is built from the sources; the plugin's executable has its own test (plugin/executable.test.ts). */
export const ways: readonly Way[] = [
  commandWay("command", [execPath, join(root, "bin/pgcompute.cjs")]),
  pluginWay("plugin", [join(root, "bin/pulumi-resource-pgcompute")]),
  scriptWay(
    "dynamic",
    `const { provider } = require("./dist/dynamic.cjs");
     provider.configure({ config: { get: (key) => config[key] } });
     const __urn = "urn:pulumi:dev::network::pulumi-nodejs:dynamic/pgcompute:Endpoint::main";
     const read = (projectId) => provider.read(projectId + "/ep-calm-sea-1", { __urn });`,
  ),
  scriptWay("functions", `const read = (projectId) => require("./dist/sdk.cjs").getEndpoints({ projectId });`),
];

/** The plugin by a command line, such as that of its executable. */
export function pluginWay(name: string, command: [string, ...string[]]): Way {
  return {
    name,
    async read(projectId, env, config) {
      const { call, close } = await startPlugin({ command, env });
      try {
        await call("configure", { args: { ...config } });
        const answer = await call("invoke", { tok: "pgcompute:index:getEndpoints", args: { projectId } });
        return { ok: true, text: JSON.stringify(answer.return) };
      } catch (error) {
        return { ok: false, text: String(error) };
      } finally {
        close();
      }
    },
  };
}

function commandWay(name: string, command: [string, ...string[]]): Way {
  return {
    name,
    isCommand: true,
    read: (projectId, env, config) => {
      const address = config ? ["--base-url", config.baseUrl] : [];
      return run([...command, "endpoints", "--json", "--project", projectId, ...address], env);
    },
  };
}

function scriptWay(name: string, script: string): Way {
  const rest = `
     read(process.argv[1]).then((found) => console.log(JSON.stringify(found)), (error) => {
       console.error(error.message);
       process.exitCode = 1;
     });`;
  return {
    name,
    read: (projectId, env, config = {} as Config) => {
      const entries = Object.entries(config).map(([key, value]) => [`pgcompute:${key}`, value]);
      const json = JSON.stringify(Object.fromEntries(entries));
      // The SDK's functions find the stack's configuration where the language host puts it.
      const given = { ...env, PULUMI_CONFIG: json };
      return run([execPath, "-e", `const config = ${json}; ${script} ${rest}`, projectId], given);
    },
  };
}

function run([command = "", ...args]: string[], env: Record<string, string>): Promise<Ended> {
  const options = { cwd: root, env: { PATH: process.env.PATH, ...env } };
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) =>
      resolve(error ? { ok: false, text: stderr } : { ok: true, text: stdout }),
    );
  });
}
