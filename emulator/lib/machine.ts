/** Facts about the machine. */

/** True for an address that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  return bare === "localhost" || bare === "::1" || /^127(\.\d{1,3}){3}$/.test(bare);
}

/** True if this process is root's, as which Postgres refuses to run. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
