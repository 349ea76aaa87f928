import { randomBytes } from "node:crypto";
import { seconds, type Table } from "./section";
import { createWaiting } from "./waiting";

const COUNT = 100;

/**
 * The same stack on a file backend and on the backends whose addresses the environment gives: BENCH_POSTGRES_URL
 * (`postgres://...`) and BENCH_BUCKET_URL (such as `s3://bucket?endpoint=...`).
 */
export async function measureBackends(say: (line: string) => void): Promise<Table> {
  const rows: (string | number)[][] = [];
  const { BENCH_POSTGRES_URL: postgres, BENCH_BUCKET_URL: bucket } = process.env;
  const table = `bench_${randomBytes(4).toString("hex")}`;
  const backends: [string, Record<string, string>][] = [["files", {}]];
  if (postgres) backends.push(["Postgres", { PULUMI_BACKEND_URL: withQuery(postgres, "table", table) }]);
  if (bucket) backends.push(["object storage", { PULUMI_BACKEND_URL: bucket }]);
  let first: number | undefined;
  for (const [name, env] of backends) {
    for (const [way, more] of [
      ["saved", {}],
      ["skipped", { PULUMI_SKIP_CHECKPOINTS: "true" }],
    ] as const) {
      const { wallMs } = await createWaiting(COUNT, { ...env, ...more }, (line) => say(`${name}, ${way}: ${line}`));
      first ??= wallMs;
      rows.push([name, way, seconds(wallMs), (wallMs / first).toFixed(2)]);
    }
  }
  return { heads: ["backend", "checkpoints", "seconds", "to files, saved"], rows };
}

function withQuery(url: string, key: string, value: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}${key}=${value}`;
}
