import { machine, type Table, writeSection } from "../section";
import { measureBackends } from "./backends";
import { measureKills } from "./kills";
import { measureSizes } from "./sizes";

/** The measurements of docs/fleets.md, each with a place in the page. */
const measurements: Record<string, (say: (line: string) => void) => Promise<Table>> = {
  sizes: measureSizes,
  kills: measureKills,
  backends: measureBackends,
};

/** Makes the named tables of docs/fleets.md anew, or all of them. */
async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !(name in measurements));
  if (unknown.length > 0) throw new Error(`no such measurement: ${unknown.join(", ")}`);
  for (const [name, measure] of Object.entries(measurements)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const on = machine();
    writeSection("fleets", name, on, await measure((line) => console.log(`${name}: ${line}`)));
  }
}

main(process.argv.slice(2));
