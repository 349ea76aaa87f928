/** An npm registry on this machine, for tests that publish and install a release. */
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { npm } from "./npm.mjs";

/**
 * Starts a registry that accepts these packages from anyone, in memory, and redirects requests for others to npm's
 * configured registry.
 *
 * @param {readonly string[]} names
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function startRegistry(names) {
  const configured = npm(["config", "get", "registry"]).trim();
  /** The contents by path: a document per package, and the tarballs. @type {Map<string, string | Buffer>} */
  const published = new Map();
  const server = createServer(async (request, response) => {
    const { method, url = "" } = request;
    const path = url.replace(/^\/|\?.*/g, "");
    const isOwn = names.some((name) => path === name || path.startsWith(`${name}/`));
    const found = published.get(path);
    if (!isOwn) response.writeHead(302, { location: new URL(path, configured).href }).end();
    else if (method !== "PUT") response.writeHead(found ? 200 : 404).end(found);
    else if (found) response.writeHead(409).end();
    else {
      /** @type {any} */
      const { _attachments, ...document } = await json(request);
      published.set(path, JSON.stringify(document));
      for (const [file, { data }] of Object.entries(_attachments))
        published.set(`${path}/-/${file}`, Buffer.from(data, "base64"));
      response.writeHead(201).end("{}");
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
