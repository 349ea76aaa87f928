import type { AddressInfo, Server } from "node:net";

/** Has a server listen on this machine, at a port of its own, and gives host and port. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
