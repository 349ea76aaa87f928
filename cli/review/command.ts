import { stat } from "node:fs/promises";
import { extname } from "node:path";
import { type Command, Option } from "commander";
import { FORGET_VARIABLE, parseForget } from "../../provider/config/forget";
import { withoutKey } from "../../provider/lib/redact";
import { plain } from "../../provider/lib/wording";
import type { ProfileName } from "../../provider/platform/profiles/profile";
import { profiles } from "../../provider/platform/profiles/profiles";
import { type AccountOptions, addAddressOption, withAccount } from "../account";
import { choice, collect, oneOf, price } from "../arguments";
import { CommandError, exitCodes } from "../exit-code";
import { decodeText, readInput, removeFile, writeText } from "../input";
import type { Shell } from "../shell";
import { toJson } from "../terminal/output";
import { toAnnotations } from "./annotations";
import { addressesIn } from "./configuration";
import { type GateCondition, gateConditions } from "./disruption";
import { exitCodeOf } from "./gate";
import { groupSteps } from "./group";
import { toHtml } from "./html";
import { type LiveView, projectsOf, readLive, unreadView } from "./live/look";
import { elsewhereMessage, reachMessages, terminalMessages } from "./live/messages";
import { toMarkdown } from "./markdown";
import { gateMessages, HIDDEN_DELETES, headMessages } from "./messages";
import { readPlan } from "./plan";
import type { Plan } from "./plan-model";
import { toReport } from "./report";
import type { Report } from "./report-model";
import { isSeal, parseSeal, type Seal, sealOf } from "./seal";
import { toTerminal } from "./terminal";

const formats = {
  text: { render: toTerminal, endings: [".txt"] },
  markdown: { render: toMarkdown, endings: [".md", ".markdown"] },
  html: { render: toHtml, endings: [".html", ".htm"] },
  json: { render: (report: Report) => toJson(report), endings: [".json"] },
  annotations: { render: toAnnotations, endings: [".annotations"] },
} as const;
type Format = keyof typeof formats;
const formatNames = Object.keys(formats) as Format[];

interface ReviewOptions extends Pick<AccountOptions, "baseUrl" | "platform"> {
  format?: Format;
  out?: string[];
  failOn?: string[];
  pricePerCuHour?: ReturnType<ReturnType<typeof price>>;
  seal?: string;
  expect?: string;
  drift?: boolean;
  live?: boolean;
  showReplacementSteps?: boolean;
}

const UNREAD = "what the plan does cannot be read";

const HELP = `
Exit codes: 0 fine; 1 the plan cannot be read, or the preview failed; 2 usage;
3 --fail-on is met, the plan is not as --expect has it, or no seal can be
written of it; 5 --drift found some.

For --fail-on, a value that is not known yet counts as what it could be, and
what cannot be read counts as everything. Deletes that earlier runs have left
are shown by --show-replacement-steps, or by the engine's events
(PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true), and by no other form of a plan.

  pulumi preview --json --show-replacement-steps > plan.json
  pgcompute review plan.json --show-replacement-steps --fail-on restart,delete
  pulumi refresh --preview-only --json | pgcompute review --drift --live
  pgcompute review events.jsonl --out review.md --out review.html`;

/** Adds `review`. `done` receives the exit code. */
export function addReview(program: Command, shell: Shell, done: (code: number) => void): void {
  const review = program
    .command("review")
    .summary("Reports what a preview does to endpoints.")
    .description(
      "Reports what `pulumi preview --json` plans for compute endpoints: restarts, connections, hosts, sizes, hours.",
    )
    .argument("[file]", "what `pulumi preview --json` printed; - is standard input", "-")
    .addOption(
      choice(
        "--format <format>",
        `one of ${formatNames.join(", ")} (default: by --out's ending, else text on a terminal, markdown elsewhere)`,
        formatNames,
      ),
    )
    .option("--out <file>", "write the report there and only the summary to standard output; may be repeated", collect)
    .option("--fail-on <list>", `end with exit code 3 where the plan does any of ${gateConditions.join(", ")}`, collect)
    .option("--seal <file>", "write to this file what the plan disrupts, for approval")
    .option("--expect <file>", "end with exit code 3 where the plan disrupts anything that this seal does not have")
    .option("--price-per-cu-hour <price>", "show money as well: 0.16, or 0.16USD", price("--price-per-cu-hour"))
    .option(
      "--show-replacement-steps",
      "the preview was given this too, so that it shows what earlier runs left to delete",
    )
    .option("--live", "ask the platform how the endpoints are now and what they did in 30 days; reads only")
    .addOption(
      new Option(
        "--drift",
        "read `pulumi refresh --preview-only --json`: report what was changed outside the stack",
      ).conflicts(["failOn", "seal", "expect"]),
    );
  addAddressOption(review)
    .addHelpText("after", HELP)
    .action(async (file: string, options: ReviewOptions) => done(await runReview(shell, file, options)));
}

/** Parses the conditions of `--fail-on A,B`. Throws a usage error for an unknown word. */
function parseConditions(text: string): GateCondition[] {
  const words = text.split(",").map((word) => oneOf("--fail-on", word.trim(), gateConditions));
  return gateConditions.filter((condition) => words.includes(condition));
}

async function runReview(shell: Shell, file: string, options: ReviewOptions): Promise<number> {
  for (const out of options.out ?? []) formatOf(out, options.format);
  const failOn = options.failOn === undefined ? undefined : parseConditions(options.failOn.join(","));
  const seal = { what: "seal", advice: "give --expect FILE" } as const;
  const expected =
    options.expect === undefined ? undefined : parseSeal(decodeText(await readInput(shell, options.expect, seal)));
  const advice = "give a file, or pipe `pulumi preview --json` into this";
  const { drift = false, pricePerCuHour, platform } = options;
  const read = readPlan(await readInput(shell, file, { what: "plan", advice }), shell.env.PGCOMPUTE_API_KEY);
  const plan = options.showReplacementSteps ? { ...read, hidesLeftDeletes: false } : read;
  requireKind(plan, drift);

  const live = options.live ? await readPlatform(shell, plan, options) : undefined;
  const { ids: forget } = parseForget(shell.env[FORGET_VARIABLE]);
  const report = toReport(plan, {
    ...{ failOn, expected, ...pricePerCuHour, drift, live, platform, forget },
    elsePlatform: platformOfEnvironment(shell),
  });
  const render = (format: Format, out = shell.out) => {
    const text = formats[format].render(report, { ...shell, out });
    return format === "json" ? text : withoutKey(text, shell.env.PGCOMPUTE_API_KEY);
  };

  if (options.out) {
    const file = { ...shell.out, isTerminal: false, columns: () => undefined };
    for (const out of options.out) await writeReport(out, render(formatOf(out, options.format), file));
    const lines = [report.summary, ...headMessages(report), ...terminalMessages(report), ...gateMessages(report)];
    shell.out.write(withoutKey(`${lines.join("\n")}\n`, shell.env.PGCOMPUTE_API_KEY));
  } else {
    shell.out.write(render(options.format ?? (shell.out.isTerminal ? "text" : "markdown")));
  }

  for (const line of reachMessages(report)) shell.err.write(`pgcompute: ${line}\n`);
  for (const error of report.errors) {
    shell.err.write(`pgcompute: the ${drift ? "refresh" : "preview"} failed: ${error}\n`);
  }

  const noSeal = report.unread.length > 0 ? UNREAD : plan.hidesLeftDeletes ? HIDDEN_DELETES : undefined;
  const sealFile = report.errors.length === 0 ? options.seal : undefined;
  if (sealFile !== undefined) await writeSeal(shell, sealFile, noSeal ?? sealOf(plan, live));
  return exitCodeOf(report, { isUnsealed: sealFile !== undefined && noSeal !== undefined });
}

/** The platform of `PGCOMPUTE_PLATFORM`. Throws a usage error for an unknown one. */
function platformOfEnvironment({ env: { PGCOMPUTE_PLATFORM } }: Pick<Shell, "env">): ProfileName | undefined {
  if (!PGCOMPUTE_PLATFORM) return undefined;
  return oneOf("PGCOMPUTE_PLATFORM", PGCOMPUTE_PLATFORM, Object.keys(profiles) as ProfileName[]);
}

/** Throws a `CommandError` if `--drift` gets no refresh, or a refresh without its findings. */
function requireKind({ steps, refreshes, untold }: Plan, drift: boolean): void {
  if (!drift && refreshes) {
    throw new CommandError(
      "this is what `pulumi refresh --preview-only --json` prints, which plans nothing: give --drift, or pipe " +
        "`pulumi preview --json`",
    );
  }
  if (!drift) return;

  // A plan also has other steps.
  const isRefresh = steps.every(({ op }) => ["refresh", "same", "update", "delete"].includes(op));
  if (refreshes === false || !isRefresh)
    throw new CommandError("this is no refresh: --drift reads what `pulumi refresh --preview-only --json` prints");

  if (untold > 0) {
    throw new CommandError(
      "this form of the plan does not tell what changed: run `pulumi refresh --preview-only --json` with " +
        "PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true in its environment",
    );
  }
}

/** A file's format, from its ending or `--format`. Throws a usage error if they differ. */
function formatOf(out: string, given: Format | undefined): Format {
  const ending = extname(out).toLowerCase();
  const format = formatNames.find((one) => formats[one].endings.some((own) => own === ending));
  if (format === undefined || given === undefined || format === given) return format ?? given ?? "markdown";
  throw new CommandError(
    `--format ${given}: ${plain(out)} ends in ${ending}, which is ${format}; leave --format out`,
    exitCodes.usage,
  );
}

/** Writes a seal. Given a reason instead, removes an old seal, and nothing else that has this name. */
async function writeSeal(shell: Shell, file: string, seal: Seal | string): Promise<void> {
  if (typeof seal !== "string") return writeText(file, toJson(seal), "the seal");
  shell.err.write(`pgcompute: no seal is written: ${seal}\n`);
  const there = await stat(file).catch(() => undefined);
  if (!there) return;

  const reading = { what: "seal", advice: "" } as const;
  if (there.isFile() && isSeal(decodeText(await readInput(shell, file, reading)))) return removeFile(file);
  shell.err.write(`pgcompute: ${plain(file)} is no seal, so it stays as it is\n`);
}

/** The address comes from this command alone: a plan file must not decide where the key goes. */
async function readPlatform(shell: Shell, plan: Plan, options: ReviewOptions): Promise<LiveView> {
  const projects = projectsOf(groupSteps(plan.steps, { drift: options.drift }).changing);
  return withAccount(shell, options, async (account) => {
    const named = addressesIn(plan);
    const isHere = named.every((address) => address === account.settings.baseUrl?.href);
    if (isHere) return readLive(account, projects, shell.signal);
    return unreadView(projects, elsewhereMessage(named), account.clock.now());
  });
}

function writeReport(out: string, text: string): Promise<void> {
  return writeText(out, text, "the report");
}
