import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Opens a server that answers as HashiCorp's Vault does when it is asked for a stack's key, which is only encoded. The secrets themselves are
 * encrypted as with a passphrase, from which each process of the engine derives the key anew by a million rounds: up to half of all that a
 * short run costs.
 */
export async function openKeyServer() {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    const data = { plaintext: JSON.parse(text).ciphertext.replace(WRAPPED, "") };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    /** Of the engine's processes, so that they find it. */
    env: { VAULT_SERVER_URL: `http://127.0.0.1:${port}`, VAULT_SERVER_TOKEN: "engine-tests" },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What Vault puts in front of everything that it has encrypted. */
export const WRAPPED = "vault:v1:";
