import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A hostile server in front of a platform: it puts the key that it was sent into the answers, in forms that hide it. */
export interface Mirror {
  /** The platform's address by way of this server. */
  readonly url: string;
  close(): void;
}

/** How a key can be written in JSON so that a search for it in the answer's text finds nothing. */
export const disguises: Readonly<Record<string, (key: string) => string>> = {
  ESCAPED: (key) => [...key].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  SLASHED: (key) => quoted(key).replaceAll("/", "\\/"),
  INVISIBLE: (key) => [...key].map((one) => quoted(one)).join("\u200b"),
  COLOURED: (key) => [...key].map((one) => quoted(one)).join("\\u001b[31m"),
  PLAIN: quoted,
};

/** Opens a mirror: each `{{NAME}}` in an answer becomes the key as `disguises[NAME]` writes it. */
export async function openMirror(target: string): Promise<Mirror> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const key = (request.headers.authorization ?? "").replace(/^Bearer /, "");
    const body = Buffer.concat(chunks);
    const { authorization = "", "content-type": type = "application/json" } = request.headers;
    const answer = await fetch(new URL(request.url ?? "/", target), {
      method: request.method ?? "GET",
      headers: { authorization, "content-type": type },
      ...(body.length > 0 && { body }),
    });
    const text = (await answer.text()).replace(/\{\{([A-Z]+)\}\}/g, (mark, name) => disguises[name]?.(key) ?? mark);
    response.writeHead(answer.status, { "content-type": "application/json", "x-request-id": key }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { pathname } = new URL(target);
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function quoted(key: string): string {
  return JSON.stringify(key).slice(1, -1);
}
