import type { AloneRun } from "./plugin-alone";

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 60;
const RIGHT = 60;
const TOP = 40;
const BOTTOM = 40;
const MS = 1_000;

interface Series {
  label: string;
  colour: string;
  dash: string;
  side: "left" | "right";
  value: (run: Point) => number;
}

/** One size of fleet. */
interface Point {
  count: number;
  /** The largest of all steps. */
  peakMb: number;
  createMs: number;
}

const series: readonly Series[] = [
  { label: "peak memory, MB (left)", colour: "#2563eb", dash: "", side: "left", value: (run) => run.peakMb },
  {
    label: "create, seconds (right)",
    colour: "#b45309",
    dash: "6 4",
    side: "right",
    value: (run) => run.createMs / MS,
  },
];

/** Memory and time by the number of endpoints, as an SVG that reads on a light and on a dark page. */
export function memoryChart(steps: readonly AloneRun[]): string {
  const runs = pointsOf(steps);
  const maxCount = Math.max(...runs.map(({ count }) => count));
  const x = (count: number) => LEFT + ((WIDTH - LEFT - RIGHT) * count) / maxCount;
  const lines = series.map(({ label, colour, dash, side, value }, index) => {
    const max = niceMax(Math.max(...runs.map(value)));
    const y = (one: number) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * one) / max;
    const points = runs.map((run) => `${x(run.count).toFixed(1)},${y(value(run)).toFixed(1)}`);
    const dots = points.map((point) => {
      const [cx, cy] = point.split(",");
      return `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`;
    });
    const axis = side === "left" ? { at: LEFT - 8, anchor: "end" } : { at: WIDTH - RIGHT + 8, anchor: "start" };
    const ticks = [0, max / 2, max].map(
      (tick) => `<text x="${axis.at}" y="${y(tick) + 4}" text-anchor="${axis.anchor}" fill="${colour}">${tick}</text>`,
    );
    const legend = `<text x="${LEFT + index * 240}" y="20" fill="${colour}">${dash ? "- -" : "—"} ${label}</text>`;
    const line = `<polyline points="${points.join(" ")}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`;
    return [line, ...dots, ...ticks, legend].join("\n  ");
  });
  const counts = runs.map(
    ({ count }) => `<text x="${x(count).toFixed(1)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${count}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img" aria-label="Peak memory and time of creating by the number of endpoints">
  <rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
  <line x1="${LEFT}" y1="${HEIGHT - BOTTOM}" x2="${WIDTH - RIGHT}" y2="${HEIGHT - BOTTOM}" stroke="#6b7280"/>
  ${lines.join("\n  ")}
  ${counts.join("\n  ")}
  <text x="${WIDTH / 2}" y="${HEIGHT - 6}" text-anchor="middle">endpoints</text>
</svg>
`;
}

function pointsOf(steps: readonly AloneRun[]): Point[] {
  return [...new Set(steps.map(({ count }) => count))].map((count) => {
    const ofCount = steps.filter((step) => step.count === count);
    const createMs = ofCount.find(({ step }) => step === "create")?.ms ?? 0;
    return { count, createMs, peakMb: Math.max(...ofCount.map(({ peakMb }) => peakMb)) };
  });
}

function niceMax(value: number): number {
  const step = 10 ** Math.floor(Math.log10(value));
  return Math.ceil(value / step) * step;
}
