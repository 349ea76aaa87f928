/** A platform behind TLS, and proxies before it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server as NetServer,
  type Socket,
} from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wireEndpoint } from "../../support/samples";
import { cert, key } from "../support/certificate";

/** A platform and the proxies in front of it, of this machine. */
export type Places = Awaited<ReturnType<typeof openPlaces>>;

/** Opens them. However a host name reads, a tunnel leads to the platform. */
export async function openPlaces() {
  const folder = mkdtempSync(join(tmpdir(), "pgcompute-network-"));
  const authority = join(folder, "authority.pem");
  writeFileSync(authority, cert);
  /** Projects that were asked for, once for each request. */
  const projects: string[] = [];
  /** Requests for tunnels through the proxies, refused ones included: target, and all sent text with headers. */
  const tunnels: { target: string; text: string }[] = [];
  const platform = createTlsServer({ key, cert }, ({ url = "" }, response) => {
    const [, projectId = "", one] = /^\/api\/v2\/projects\/([\w-]+)\/endpoints(\/.+)?$/.exec(url) ?? [];
    const index = projects.filter((each) => each === projectId).length;
    projects.push(projectId);
    const endpoint = wireEndpoint({ project_id: projectId });
    const body = JSON.stringify(one ? { endpoint } : { endpoints: [endpoint] });
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    (manners[projectId.split("-")[0] ?? ""] ?? whole)(response, body, index);
  });
  const port = await listen(platform);
  const proxies = [createServer(), createServer(), createTlsServer({ key, cert })];
  const [proxyPort = 0, closedProxyPort = 0, tlsProxyPort = 0] = await Promise.all(proxies.map(listen));
  /** Counts of connections that a server closed, and of attempts to use such a server. */
  const ending = { connections: 0, plays: 0 };
  const enders = [createTcpServer(), createTcpServer()];
  const [endingPort = 0, endingLaterPort = 0] = await Promise.all(enders.map(listen));
  for (const ender of enders) {
    ender.on("connection", (socket: Socket) => {
      ending.connections += 1;
      socket.on("error", () => {});
      if (ender === enders[0]) socket.destroy();
      else socket.once("data", () => socket.destroy());
    });
  }
  for (const proxy of proxies) {
    proxy.on("connect", ({ url: target = "", headers, rawHeaders }, socket: Socket) => {
      const asked = { target, text: [target, ...rawHeaders].join(" ") };
      tunnels.push(asked);
      socket.on("error", () => {});
      const refuse = tunnelManners[target.split("-")[0] ?? ""];
      if (refuse) return refuse(socket);
      const mayPass = proxy !== proxies[1] || headers["proxy-authorization"] === PASS;
      if (!mayPass) return answerWith(407)(socket);
      const onwards = connect(port, "127.0.0.1", () => {
        socket.write(OPENED);
        socket
          .on("data", (data) => (asked.text += data.toString("latin1")))
          .pipe(onwards)
          .pipe(socket);
      });
      onwards.on("error", () => {});
      socket.on("close", () => onwards.destroy());
    });
  }
  return {
    ...{ port, projects, tunnels },
    /** Ports of an open proxy, of a TLS proxy, and of one that requires `user:pass-word`. */
    ...{ proxyPort, tlsProxyPort, closedProxyPort },
    /** The ports of what ends each connection when it is made, or at its first byte. */
    ...{ endingPort, endingLaterPort, ending },
    /** The file with the platform's certificate, which is its own authority. */
    authority,
    close() {
      for (const server of [platform, ...proxies]) {
        server.close();
        server.closeAllConnections();
      }
      for (const ender of enders) ender.close();
      rmSync(folder, { recursive: true, maxRetries: 10 });
    },
  };
}

const PASS = `Basic ${Buffer.from("user:pass-word").toString("base64")}`;

/** What a proxy does with a tunnel that it is asked for, by the first word of the host; any other it opens. */
const tunnelManners: Record<string, (socket: Socket) => void> = {
  hangup: (socket) => socket.destroy(),
  halfhead: (socket) => socket.end("HTTP/1.1 200 Conn"),
  opened: (socket) => socket.end(OPENED),
  hello: (socket) => socket.write(OPENED) && socket.once("data", () => socket.destroy()),
  babble: (socket) => socket.write(`${OPENED}what is no TLS at all\r\n`) && socket.once("data", () => socket.end()),
  noaccess: answerWith(407),
  forbidden: answerWith(403),
  gateway: answerWith(502),
};

const OPENED = "HTTP/1.1 200 Connection established\r\n\r\n";

function answerWith(status: number): (socket: Socket) => void {
  return (socket) => void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
}

type Manner = (response: ServerResponse, body: string, index: number) => void;

const whole: Manner = (response, body) => void response.end(body);

/** How the platform answers, by the first word of a project's id; the index counts the requests for it from 0. */
const manners: Record<string, Manner> = {
  slow: (response, body) => {
    const pieces = body.match(/.{1,20}/g) ?? [];
    const drip = setInterval(() => (pieces.length > 0 ? response.write(pieces.shift()) : response.end()), 2);
    response.on("close", () => clearInterval(drip));
  },
  cut: (response, body) => response.write(body.slice(1), () => response.socket?.end()),
  closing: (response) => response.socket?.destroy(),
  reset: (response, body, index) => (index > 0 ? response.end(body) : response.socket?.destroy()),
};

function listen(server: NetServer): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
