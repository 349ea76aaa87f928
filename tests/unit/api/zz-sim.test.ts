import { test } from "vitest";
import { createPace } from "/work/main/provider/api/pace";
import { createSteeredClock } from "/work/main/tests/unit/api/support/steered-clock";
import { floorMs, runCallers, type LimiterShape } from "/work/main/tests/unit/api/support/limiter";
function rng(seed:number){ let s=seed; return ()=>{ s=(s*1664525+1013904223)>>>0; return s/2**32; }; }
test("sim", async () => {
  const rows: string[] = []; let bad=0, total=0;
  const full = process.env.FULL === "1";
  for (const lat of full ? [2, 20, 100, 250] : [2, 30])
  for (const kind of ["bucket","window"] as const)
  for (const [calls, perMs] of [[60,60000],[700,60000],[10,1000],[40,1000]] as const)
  for (const retryAfter of ["none","seconds","date"] as const)
  for (const callers of full ? [20, 60, 200] : [20,200])
  for (const phase of kind==="window" ? (full ? [0,0.1,0.3,0.5,0.7,0.9,0.97] : [0,0.5,0.9]) : [0]) {
    const shape: LimiterShape = {kind, calls, perMs, retryAfter, phase};
    const ns = calls===700 ? [200, 1000] : [200];
    for (const n of ns) {
      const clock = createSteeredClock(Date.UTC(2025,0,1)+337);
      const r = rng(7);
      const pace = createPace({clock, random: r, maxRateLimitMs: 600000});
      const res = await clock.run(runCallers(pace, clock, shape, {n, callers, latencyMs: () => lat*(0.5+r())}));
      const floor = Math.max(floorMs(shape, n), (n-calls)/calls*perMs);
      const ratio = res.ms/Math.max(floor, lat*n/callers + 1);
      const share = res.refused/res.calls;
      total++;
      const fail = (floor>0 && ratio>1.3) || share>0.05;
      if (fail) bad++;
      if (fail || process.env.ALL) rows.push(`${fail?"BAD":"ok "} lat=${lat} ${kind} ${calls}/${perMs/1000}s ra=${retryAfter} callers=${callers} phase=${phase} n=${n} floor=${(floor/1000).toFixed(1)} ms=${(res.ms/1000).toFixed(1)} ratio=${ratio.toFixed(2)} 429=${res.refused} ${(share*100).toFixed(1)}%`);
    }
  }
  console.log(rows.join("\n")); console.log(`bad ${bad} of ${total}`);
}, 600000);
