/** The pictures and the table of docs/benchmarks.md, drawn from the CSV files beside it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../tools/root.mjs";
import { readTable } from "./tables";

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 60;
const RIGHT = 60;
const TOP = 40;
const BOTTOM = 40;
const BAR = 14;
const STEPS = ["preview", "create", "no change", "refresh", "update", "destroy"];
const SINGLE = "plugin, YAML";
const FLEET = "fleet, plugin, YAML";

interface Series {
  label: string;
  colour: string;
  dash: string;
  side: "left" | "right";
  value: (point: Point) => number;
}

/** One number of endpoints. */
interface Point {
  count: number;
  /** The largest of all steps. */
  peakMb: number;
  createSeconds: number;
}

const series: readonly Series[] = [
  { label: "peak memory, MB (left)", colour: "#2563eb", dash: "", side: "left", value: ({ peakMb }) => peakMb },
  {
    label: "create, seconds (right)",
    colour: "#b45309",
    dash: "6 4",
    side: "right",
    value: ({ createSeconds }) => createSeconds,
  },
];

/** Draws all of it anew; measures nothing. */
export function drawPage(): void {
  writeFileSync(join(root, "docs/benchmarks/growth.svg"), growthChart());
  writeFileSync(join(root, "docs/benchmarks/steps.svg"), stepsChart());
  const page = join(root, "docs/benchmarks.md");
  const text = readFileSync(page, "utf8");
  writeFileSync(
    page,
    text.replace(
      /(<!-- from the CSV files -->\n).*?(<!-- end -->)/s,
      (_, open, close) => `${open}\n${stepsTable()}\n\n${close}`,
    ),
  );
}

function stepsTable(): string {
  const cells = STEPS.map((step) => [
    step,
    ...[
      runOf("endpoints", SINGLE, 1, step),
      runOf("endpoints", SINGLE, 100, step),
      runOf("endpoints", SINGLE, 1_000, step),
      runOf("fleets", FLEET, 100, step),
      runOf("fleets", FLEET, 1_000, step),
    ].map((run) => (run ? `${run.seconds} (${run["calls / N"]})` : "")),
  ]);
  const heads = [
    "seconds (calls for each endpoint)",
    "1 endpoint",
    "100",
    "1,000",
    "a fleet of 100",
    "a fleet of 1,000",
  ];
  const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
  return [line(heads), "|---|--:|--:|--:|--:|--:|", ...cells.map(line)].join("\n");
}

/** A step with operations of 0.2 s, `--parallel 10`. */
function runOf(table: string, program: string, count: number, step: string): Record<string, string> | undefined {
  return readTable(table).find(
    (row) =>
      row.program === program &&
      row.N === String(count) &&
      row["an operation"] === "0.2 s" &&
      row["--parallel"] === "10" &&
      row.step === step,
  );
}

/** Seconds of each step at 1,000 endpoints, as bars. */
function stepsChart(): string {
  const bars = STEPS.map((step) => {
    const single = runOf("endpoints", SINGLE, 1_000, step);
    const fleet = runOf("fleets", FLEET, 1_000, step);
    return { step, values: [single?.seconds, single?.["stand-in"], fleet?.seconds].map(Number) };
  });
  const kinds = [
    { label: "1,000 resources", colour: "#2563eb" },
    { label: "of it, Pulumi's engine", colour: "#9ca3af" },
    { label: "one fleet of 1,000", colour: "#b45309" },
  ];
  const left = 90;
  const max = Math.max(...bars.flatMap(({ values }) => values));
  const group = kinds.length * BAR + 12;
  const drawn = bars.flatMap(({ step, values }, row) => [
    `<text x="${left - 8}" y="${TOP + row * group + 26}" text-anchor="end">${step}</text>`,
    ...values.flatMap((value, at) => {
      const width = Math.max(1, ((WIDTH - left - RIGHT) * value) / max);
      const y = TOP + row * group + at * BAR;
      return [
        `<rect x="${left}" y="${y}" width="${width.toFixed(1)}" height="${BAR - 2}" fill="${kinds[at]?.colour}"/>`,
        `<text x="${(left + width + 4).toFixed(1)}" y="${y + 10}" font-size="11">${value}</text>`,
      ];
    }),
  ]);
  const legend = kinds.map(
    ({ label, colour }, at) => `<text x="${left + at * 170}" y="20" fill="${colour}">■ ${label}</text>`,
  );
  const height = TOP + bars.length * group + 20;
  return svg(height, "Seconds of each step at 1,000 endpoints", [
    ...legend,
    ...drawn,
    `<text x="${WIDTH / 2}" y="${height - 6}" text-anchor="middle">seconds</text>`,
  ]);
}

/** Memory and time by the number of endpoints. */
function growthChart(): string {
  const points = pointsOf(readTable("alone"));
  const maxCount = Math.max(...points.map(({ count }) => count));
  const x = (count: number) => LEFT + ((WIDTH - LEFT - RIGHT) * count) / maxCount;
  const lines = series.flatMap(({ label, colour, dash, side, value }, index) => {
    const max = niceMax(Math.max(...points.map(value)));
    const y = (one: number) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * one) / max;
    const places = points.map((point) => [x(point.count).toFixed(1), y(value(point)).toFixed(1)]);
    const axis = side === "left" ? { at: LEFT - 8, anchor: "end" } : { at: WIDTH - RIGHT + 8, anchor: "start" };
    return [
      `<polyline points="${places.join(" ")}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`,
      ...places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`),
      ...[0, max / 2, max].map(
        (tick) =>
          `<text x="${axis.at}" y="${y(tick) + 4}" text-anchor="${axis.anchor}" fill="${colour}">${tick}</text>`,
      ),
      `<text x="${LEFT + index * 240}" y="20" fill="${colour}">${dash ? "- -" : "—"} ${label}</text>`,
    ];
  });
  const counts = points.map(
    ({ count }) => `<text x="${x(count).toFixed(1)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${count}</text>`,
  );
  return svg(HEIGHT, "Peak memory and time of creating by the number of endpoints", [
    `<line x1="${LEFT}" y1="${HEIGHT - BOTTOM}" x2="${WIDTH - RIGHT}" y2="${HEIGHT - BOTTOM}" stroke="#6b7280"/>`,
    ...lines,
    ...counts,
    `<text x="${WIDTH / 2}" y="${HEIGHT - 6}" text-anchor="middle">endpoints</text>`,
  ]);
}

// On white, so that it reads on a light and on a dark page.
function svg(height: number, label: string, content: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" role="img" aria-label="${label}">
  <rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
  ${content.join("\n  ")}
</svg>
`;
}

function pointsOf(rows: readonly Record<string, string>[]): Point[] {
  return [...new Set(rows.map((row) => Number(row.N)))].map((count) => {
    const ofCount = rows.filter((row) => Number(row.N) === count);
    const createSeconds = Number(ofCount.find((row) => row.step === "create")?.seconds ?? 0);
    return { count, createSeconds, peakMb: Math.max(...ofCount.map((row) => Number(row["peak MB"]))) };
  });
}

function niceMax(value: number): number {
  const step = 10 ** Math.floor(Math.log10(value));
  return Math.ceil(value / step) * step;
}
