import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { gateConditions } from "../../cli/review/disruption";
import { toHtml } from "../../cli/review/html";
import { toReport } from "../../cli/review/report";
import type { Report } from "../../cli/review/report-model";
import { sealOf } from "../../cli/review/seal";
import { expectGoodToRead } from "../../emulator/tests/console/support/good-to-read";
import { useBrowser } from "../../emulator/tests/console/support/open-console";
import { temporaryFolder } from "../support/temporary-folder";
import { ranFor41h, record, viewOf } from "../unit/cli/support/live";
import { planOf, reportOn, stateOf, stepFor, updateOf } from "../unit/cli/support/plans";

const open = useBrowser();

/** The address of a file with the report, which goes with the test. */
function fileOf(report: Report): string {
  const file = join(temporaryFolder(), "review.html");
  writeFileSync(file, toHtml(report));
  return pathToFileURL(file).href;
}

const everything = { failOn: gateConditions, pricePerCuHour: 0.16 };
const reports: Record<string, () => Report> = {
  changes: () => reportOn("plugin-changes.json", everything),
  replacements: () => reportOn("dynamic-replacements.json", everything),
  "a failure": () => reportOn("plugin-failed.json", everything),
  "what is not as approved": () => reportOn("plugin-replacements.json", { expected: sealOf(planOf([])) }),
  "what the platform tells": () => {
    const before = stateOf({ sizeCu: 2, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 });
    const plan = planOf([updateOf("main", { sizeCu: 1 }, before), stepFor("fresh", "create", { after: before })]);
    return toReport(plan, { live: viewOf({ ...record, currentState: "active" }, ranFor41h) });
  },
  drift: () => reportOn("plugin-refresh.json", { drift: true }),
  "no change": () => toReport(planOf([]), everything),
  "the longest names": () => {
    const name = "n".repeat(300);
    const pgSettings = { [name]: "v".repeat(2_000) };
    const before = stateOf({ branchId: "b".repeat(60), host: `${"h".repeat(63)}.${"d".repeat(120)}` });
    return toReport(
      planOf([updateOf(name, { branchId: "br-".padEnd(60, "x"), sizeCu: 7, pgSettings }, before)]),
      everything,
    );
  },
};

describe.each(Object.keys(reports))("the HTML report of %s", (name) => {
  it("scrolls not sideways, and is good to read: at 1280 and 360 pixels, light and dark", async () => {
    const { page } = await open(fileOf((reports[name] as () => Report)()), { bypassCSP: true });
    const sizes = [
      [1280, 800],
      [360, 800],
    ] as const;
    await expectGoodToRead(page, sizes, { light: "rgb(246, 247, 249)", dark: "rgb(17, 22, 29)" });
  });
});

it("the bars are told apart without colour", async () => {
  const { page } = await open(fileOf(reportOn("plugin-changes.json")), { forcedColors: "active" });
  const styles = await page.evaluate<string[][]>(
    `[".before", ".after"].map((kind) => {
        const style = getComputedStyle(document.querySelector(".bar" + kind));
        return [style.borderTopStyle, style.borderTopWidth];
      })`,
  );
  // Where the browser takes the fill away, the border is left, and the words beside it.
  expect(styles).toEqual([
    ["solid", "2px"],
    ["solid", "2px"],
  ]);
  const rows = await page.locator("article .row:not(.axis)").allInnerTexts();
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter((text) => !/^(Before|After)\s+\S/.test(text))).toEqual([]);
});
