import { describe, expect, it } from "vitest";
import { parseInputs } from "../../../provider/endpoint/parse-inputs";
import type { AccountSettings } from "../../../provider/platform/account";
import { neon, platformMessage } from "../../../provider/platform/profiles/profiles";
import { check } from "../../../provider/pulumi/endpoint/check";
import { useMain } from "../../engine-model/stack";
import { contextOf } from "../../support/call-context";

// Specification, sections 1 and 2.3.
describe("check", () => {
  it("fills in defaults and keeps the hosts' own values", async () => {
    const { stack, main, stored } = await useMain();
    const { args } = main().main;
    // A program's own `__takes` is dropped: only Check says what is taken over.
    const said = { __urn: "x", __takes: "ep-x", pgSettings: { max_wal_size: 4, fsync: true } };
    expect((await stack.up(main(said))).messages).toEqual([]);
    const pgSettings = { max_wal_size: "4", fsync: "true" };
    expect(stored()?.inputs).toEqual({ ...args, type: "read_write", __urn: "x", pgSettings });
  });

  it.each([
    ["poolerMode", "pipeline", "session", "is not one of"],
    ["preloadLibraries", ["pg_nowhere"], [], 'has no library "pg_nowhere"'],
    ["preloadLibraries", ["pg_stat_statement"], [], 'to load: did you mean "pg_stat_statements"?'],
  ])("accepts a %s that it does not know only where it is in force", async (property, value, before, reason) => {
    const { bench, main } = await useMain();
    const inputs = { ...main().main.args, type: "read_write" };
    const news = { ...inputs, [property]: value };
    const checked = (olds?: object) => bench.run(check(contextOf(bench), { ...(olds && { olds: { ...olds } }), news }));
    expect(await checked(news)).toMatchObject({ inputs: news, failures: [] });
    // What has been checked stays, in Diff and in Update, which show nothing old.
    expect(parseInputs(news)).toMatchObject({ inputs: { [property]: value }, failures: [] });
    for (const olds of [undefined, {}, { ...inputs, [property]: before }]) {
      const { failures } = await checked(olds);
      expect(failures).toMatchObject([{ property, reason: expect.stringContaining(reason) }]);
    }
  });

  it("ends at once when it is cancelled while the rate limit holds it back", async () => {
    const { bench, stack, admin, main } = await useMain();
    const { clock } = bench;
    admin.addFault({ effect: { kind: "status", status: 429, retryAfter: { form: "seconds", seconds: 300 } } });
    const cancelled = new AbortController();
    void clock.sleep(10_000).then(() => cancelled.abort());
    const { error } = await stack.preview(main(), { signal: cancelled.signal });
    expect(error).toMatchObject({ message: expect.stringContaining("interrupted") });
    expect(clock.elapsedMs()).toBeLessThan(20_000);
  });
});

it.each<[string, Partial<AccountSettings>, Record<string, unknown>, RegExp[], RegExp[]]>([
  ["takes what it has", { plan: "free" }, { sizeCu: 2 }, [], []],
  ["takes a large size", {}, { sizeCu: 56 }, [], []],
  [
    "refuses what a plan has not",
    { plan: "free" },
    { sizeCu: 4, suspendTimeoutSeconds: 60 },
    [/Neon's free plan, 2 CU/, /300 s, fixed/],
    [],
  ],
  [
    "warns of a plan's limits where checks says so, and refuses what no endpoint can be",
    { plan: "free", checks: "warn" },
    { autoscalingLimitMinCu: 4, autoscalingLimitMaxCu: 2, suspendTimeoutSeconds: 60 },
    [/is above the maximum/],
    [/^autoscalingLimitMinCu: 4 CU is above/, /^suspendTimeoutSeconds: Neon's free plan suspends after 300 s, fixed/],
  ],
  [
    "warns of a delay that counts for nothing, and of nothing that is only deprecated",
    {},
    { sizeCu: 18, suspendTimeoutSeconds: 600, poolerMode: "transaction" },
    [],
    [/^suspendTimeoutSeconds has no effect: Neon never suspends .* above 16 CU/],
  ],
  [
    "says what sets max_connections",
    {},
    { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4, pgSettings: { max_connections: "2000" } },
    [],
    [/follows from the minimum and the maximum size, .*\(1678 at 1 to 4 CU\).*needs a minimum size of 5 CU \(2098\)/],
  ],
])("on today's platform %s", async (_, settings, changes, refused, warned) => {
  const { stack, main } = await useMain({}, { profile: neon, ...settings });
  const { messages, rows } = await stack.preview(main(changes));
  const said = (asked: string) => rows.flatMap(({ level, message }) => (level === asked ? [message] : []));
  expect(messages.flatMap((message) => message.split(/\n(?! )/))).toEqual(
    refused.map((text) => expect.stringMatching(text)),
  );
  expect(said("warn")).toEqual(warned.map((text) => expect.stringMatching(text)));
  expect(said("info")).toEqual(messages.length > 0 ? [] : [platformMessage(neon)]);
});
