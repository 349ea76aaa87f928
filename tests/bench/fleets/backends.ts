import { randomBytes } from "node:crypto";
import { seconds, type Table } from "../tables";
import { createWaiting } from "./waiting";

const COUNT = 100;

/** A kind of backend, and the address of a fresh place on it; none for files, which the measurement has by itself. */
interface Backend {
  name: string;
  place(): string | undefined;
}

/**
 * The same stack on a file backend and on the backends whose addresses the environment gives: BENCH_POSTGRES_URL
 * (`postgres://...`) and BENCH_BUCKET_URL (such as `s3://bucket?endpoint=...`). Each run has a table or a folder of its
 * own there, named `bench_...`, which stays.
 */
export async function measureBackends(say: (line: string) => void): Promise<Table> {
  const { BENCH_POSTGRES_URL: postgres, BENCH_BUCKET_URL: bucket } = process.env;
  const backends: Backend[] = [{ name: "files", place: () => undefined }];
  if (postgres) backends.push({ name: "Postgres", place: () => withTable(postgres) });
  if (bucket) backends.push({ name: "object storage", place: () => withFolder(bucket) });
  const rows: (string | number)[][] = [];
  let first: number | undefined;
  for (const { name, place } of backends) {
    for (const [way, env] of [
      ["saved", {}],
      ["skipped", { PULUMI_SKIP_CHECKPOINTS: "true" }],
    ] as const) {
      const address = place();
      const where: Record<string, string> = address === undefined ? {} : { PULUMI_BACKEND_URL: address };
      const { wallMs } = await createWaiting(COUNT, { ...env, ...where }, (line) => say(`${name}, ${way}: ${line}`));
      first ??= wallMs;
      rows.push([name, way, seconds(wallMs), (wallMs / first).toFixed(1)]);
    }
  }
  return { heads: ["backend", "checkpoints", "seconds", "to files, saved"], rows };
}

function withTable(address: string): string {
  return `${address}${address.includes("?") ? "&" : "?"}table=${freshName()}`;
}

function withFolder(address: string): string {
  const [bucket = "", query] = address.split("?");
  return `${bucket.replace(/\/$/, "")}/${freshName()}${query === undefined ? "" : `?${query}`}`;
}

function freshName(): string {
  return `bench_${randomBytes(4).toString("hex")}`;
}
