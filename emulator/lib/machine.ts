/** Facts about the machine that the emulator runs on. */

/** Whether an address is reached from this machine only. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  return bare === "localhost" || bare === "::1" || /^127(\.\d{1,3}){3}$/.test(bare);
}

/** Whether this process is root's, as which Postgres refuses to run. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
