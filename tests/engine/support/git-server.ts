/** A git host on this machine with https: git's own server program, and a self-signed certificate. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { cert, key } from "./certificate";

/** A git host: its address, and the environment in which git and the engine trust it. */
export type GitServer = Awaited<ReturnType<typeof openGitServer>>;

/** Serves the bare repositories below a folder, each at its path. */
export async function openGitServer(folder: string) {
  const authority = join(folder, "authority.pem");
  writeFileSync(authority, cert);
  const server = createServer({ key, cert }, (request, response) => serve(folder, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    env: { GIT_SSL_CAINFO: authority, SSL_CERT_FILE: authority },
    close: () => void server.close(),
  };
}

/** Answers one request as git's program for web servers does. */
function serve(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "", "https://localhost");
  const given = {
    GIT_PROJECT_ROOT: folder,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: pathname.replace(/\.git(?=\/)/, ""),
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers["content-type"],
    HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
    GIT_PROTOCOL: request.headers["git-protocol"]?.toString(),
    // Whoever made the folder, in a container too.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
  };
  const child = spawn("git", ["http-backend"], { env: { ...process.env, ...given } });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("close", () => {
    const answer = Buffer.concat(chunks);
    const end = answer.indexOf("\r\n\r\n");
    for (const line of answer.subarray(0, end).toString().split("\r\n")) {
      const [, name = "", value = ""] = /^([^:]+): *(.*)$/.exec(line) ?? [];
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else if (name) response.setHeader(name, value);
    }
    response.end(answer.subarray(end + 4));
  });
}
