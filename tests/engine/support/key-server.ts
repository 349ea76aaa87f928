import { createServer } from "node:http";
import { listen } from "./listen";

/**
 * Opens a server that answers like HashiCorp's Vault for a stack's key, which it only encodes. A passphrase would cost
 * each engine process a million hash rounds: up to half of a short run.
 */
export async function openKeyServer() {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    const data = { plaintext: JSON.parse(text).ciphertext.replace(WRAPPED, "") };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data }));
  });
  const address = await listen(server);
  return {
    /** Of the engine's processes, so that they find it. */
    env: { VAULT_SERVER_URL: `http://${address}`, VAULT_SERVER_TOKEN: "engine-tests" },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What Vault puts in front of everything that it has encrypted. */
export const WRAPPED = "vault:v1:";
