import { machine, type Table, writeTable } from "../tables";
import { measureBackends } from "./backends";
import { measureKills } from "./kills";
import { measureSizes } from "./sizes";

/** The measurements for many stacks, each with a file in docs/benchmarks. */
const measurements: Record<string, (say: (line: string) => void) => Promise<Table>> = {
  sizes: measureSizes,
  kills: measureKills,
  backends: measureBackends,
};

/** Makes the named tables anew, or all of them. */
async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !(name in measurements));
  if (unknown.length > 0) throw new Error(`no such measurement: ${unknown.join(", ")}`);
  for (const [name, measure] of Object.entries(measurements)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const on = machine();
    writeTable(name, on, await measure((line) => console.log(`${name}: ${line}`)));
  }
}

main(process.argv.slice(2));
