import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A keeper of the keys that stacks' secrets are encrypted with. */
export interface KeyServer {
  /** Of the engine's processes, so that they find it. */
  readonly env: Record<string, string>;
  close(): void;
}

/** What a stack is told at its birth, so that its key is kept here. */
export const SECRETS_PROVIDER = "hashivault://engine-tests";

/**
 * Opens a server that answers as HashiCorp's Vault does when it is asked to wrap and unwrap a stack's key. It only encodes the key: the
 * secrets themselves are encrypted by the engine in the same way as with a passphrase. But from a passphrase each process of the
 * engine derives the key anew, by a million rounds, which is up to half of all that a short run costs.
 */
export async function openKeyServer(): Promise<KeyServer> {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    const { plaintext, ciphertext = "" } = JSON.parse(text) as { plaintext?: string; ciphertext?: string };
    const data =
      plaintext === undefined ? { plaintext: ciphertext.replace(WRAPPED, "") } : { ciphertext: WRAPPED + plaintext };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: { VAULT_SERVER_URL: `http://127.0.0.1:${port}`, VAULT_SERVER_TOKEN: "engine-tests" },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What Vault puts in front of everything that it has encrypted. */
const WRAPPED = "vault:v1:";
