import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { expect, it } from "vitest";
import { hosts } from "../support/hosts";
import { useBench } from "../support/platform";
import { processesOf, processOf, untilNoneRuns } from "../support/processes";

const bench = useBench();

it.each(hosts)("listens on loopback only and shows no key in its arguments by the $name host", async (host) => {
  const { admin, apiKey } = bench.emulator;
  const branchId = bench.branch();
  const { project, is } = bench.program(host);
  const fault = admin.addFault({ on: "operation", branchId, effect: { kind: "slow", operationMs: 60_000 } });
  admin.clearLog();
  const up = is({ main: { args: { projectId: bench.projectId, branchId } } }).up();
  await expect
    .poll(() => admin.log().some(({ route }) => route === "operations.get"), { timeout: 60_000, interval: 20 })
    .toBe(true);

  const running = processesOf(project);
  const role = host.name === "plugin" ? "plugin" : "launcher";
  const providers = running.filter((one) => one.role === role);
  expect(providers).not.toEqual([]);
  for (const { pid } of providers) {
    const addresses = listeningOn(pid);
    expect(addresses).not.toEqual([]);
    expect(addresses.filter((address) => !/^(127\.|::1$)/.test(address))).toEqual([]);
  }
  expect(processOf(project, "engine").command).toContain(" up ");
  expect(running.map(({ command }) => command).join("\n")).not.toContain(apiKey);

  admin.removeFault(fault);
  admin.advance(60_000);
  await up;
  await untilNoneRuns(project);
});

/** The addresses that a process listens on, by Linux's tables of sockets. */
function listeningOn(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const sockets = readdirSync(folder).flatMap((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`).match(/^socket:\[(\d+)\]$/)?.[1] ?? [];
    } catch {
      return []; // closed meanwhile
    }
  });
  const tables = ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, "utf8").split("\n"));
  return tables.flatMap((line) => {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
    return state === "0A" && sockets.includes(inode) ? [addressOf(local.split(":")[0] ?? "")] : [];
  });
}

/** An address as the kernel writes it: words of four bytes, each in the machine's order. */
function addressOf(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16)));
  if (bytes.length === 4) return bytes.join(".");
  return bytes.every((byte, at) => byte === (at === 15 ? 1 : 0)) ? "::1" : hex;
}
