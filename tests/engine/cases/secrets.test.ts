import { describe, expect, it } from "vitest";
import { type HostDriver, hosts, pluginHost } from "../support/hosts";
import { endpointIdOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";
import type { StateResource } from "../support/project";
import type { Run } from "../support/run";

const bench = useBench();

/** Everything that a run showed or logged: both streams and the event log. */
function everything(runs: Run[]): string {
  return runs.map(({ text, events }) => text + JSON.stringify(events)).join("\n");
}

/**
 * The same without the debug events, which nobody is shown: Pulumi's Node.js SDK writes whole answers of the engine into
 * them, with the values of every resource's secrets.
 */
function everythingShown(runs: Run[]): string {
  const isDebug = ({ diagnosticEvent }: Run["events"][number]) => (diagnosticEvent?.severity as string) === "debug";
  return everything(runs.map((run) => ({ ...run, events: run.events.filter((event) => !isDebug(event)) })));
}

/** The forms in which a text could leak: as it is, and as it stands in JSON or base64. */
function formsOf(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString("base64")];
}

/** What Pulumi writes into the state of a dynamic resource is a short text, and for the plugin none at all. */
function expectShortProviderText({ inputs, outputs }: StateResource, host: HostDriver): void {
  if (host.name === "plugin") {
    expect(Object.keys({ ...inputs, ...outputs })).not.toContain("__provider");
    return;
  }
  expect(inputs?.__provider).toBe(outputs?.__provider);
  expect(inputs?.__provider).toBe('exports.handler=()=>require("pulumi-pgcompute/dynamic").provider');
  expect(Buffer.byteLength(String(inputs?.__provider))).toBeLessThan(300);
}

describe.each(hosts)("secrets with the $name host", (host) => {
  it("leaves no trace at all of a key from the environment, whatever is logged", async () => {
    const { projectId } = bench;
    const { apiKey } = bench.emulator;
    const branchId = bench.branch();
    const { project, is } = await bench.program(host);
    await project.cli(["config", "rm", "pgcompute:apiKey", "--stack", "dev"]);
    const stack = is({ main: { args: { projectId, branchId } } });
    const loud = { env: { PGCOMPUTE_API_KEY: apiKey }, args: ["-v=11", "--logtostderr"] };
    const runs = [await stack.up(loud)];
    expect(endpointsOn(bench, branchId)).toHaveLength(1);
    // The log is as loud as it gets, or this would say nothing.
    expect(runs[0]?.stderr).toContain(endpointIdOf(stored(project, host, "main")));
    const state = project.stateText();
    runs.push(await stack.destroy(loud));
    for (const form of formsOf(apiKey)) {
      expect(everything(runs)).not.toContain(form);
      expect(state).not.toContain(form);
    }
  });

  it("keeps a configured API key and secret settings out of the state, every output and the event log", async () => {
    const { projectId } = bench;
    const { admin, apiKey } = bench.emulator;
    const branches = [bench.branch(), bench.branch()];
    const { project, is } = await bench.program(host);
    const values = [1, 2].map((turn) => ({
      one: `hidden-one-${turn}-${host.name}`,
      all: `hidden-all-${turn}-${host.name}`,
    }));
    const [first = { one: "", all: "" }, second = first] = values;
    const declared = ({ one, all }: { one: string; all: string }, extra: Record<string, unknown> = {}) =>
      is({
        one: {
          args: {
            projectId,
            branchId: branches[0],
            pgSettings: { work_mem: "8MB", "app.token": { secret: one } },
            ...extra,
          },
        },
        all: { args: { projectId, branchId: branches[1], pgSettings: { secret: { "app.token": all } }, ...extra } },
      });
    const runs: Run[] = [];
    const states: string[] = [];
    const note = (run: Run) => {
      runs.push(run);
      states.push(project.stateText());
      return run;
    };
    note(await declared(first).up());
    expectShortProviderText(stored(project, host, "one"), host);
    expect(note(await declared(second).preview({ args: ["--diff"] })).changes).toMatchObject({ update: 2 });
    const changed = declared(second, { sizeCu: 2 });
    admin.addFault({ route: "endpoints.*", count: 2, effect: { kind: "status", status: 400, echo: true } });
    note(await changed.up({ expectFailure: true }));
    admin.clearFaults();
    note(await changed.up());
    for (const { id, settings } of endpointsOn(bench, branches[0] ?? "")) {
      expect(settings).toMatchObject({ pg_settings: { work_mem: "8MB", "app.token": second.one } });
      admin.changeEndpoint(id, { suspend_timeout_seconds: 60 });
    }
    expect(endpointsOn(bench, branches[1] ?? "")).toMatchObject([
      { settings: { pg_settings: { "app.token": second.all } } },
    ]);
    note(await changed.refresh());
    for (const name of ["one", "all"]) {
      const { inputs, outputs } = stored(project, host, name);
      const sealed = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
      expect(JSON.stringify(inputs?.pgSettings), name).toContain(JSON.stringify(sealed).slice(1, -1));
      expect(JSON.stringify(outputs?.pgSettings), name).toContain(JSON.stringify(sealed).slice(1, -1));
    }
    note(await changed.destroy());
    for (const form of values.flatMap(({ one, all }) => [...formsOf(one), ...formsOf(all)])) {
      expect(everythingShown(runs)).not.toContain(form);
      expect(states.join("\n")).not.toContain(form);
    }
    for (const form of formsOf(apiKey)) {
      expect(everything(runs)).not.toContain(form);
      expect(states.join("\n")).not.toContain(form);
    }
  });
});

// The dynamic host marks by names that the SDK sends: tests/provider/pulumi/dynamic/dropped-secret.test.ts.
it("shows no secret size in what a change means, nor in what a check says of it", async () => {
  const { projectId } = bench;
  const { is, project } = await bench.program(pluginHost);
  const size = (cu: number) => ({ sizeCu: { secret: cu } });
  const sizes = /\b[0-9.]+ (CU|GB)\b|max_connections \d|->/;
  // What was a secret stays one, even where the program now says nothing or something in the clear.
  const changes = {
    changed: size(2),
    replaced: { ...size(2), type: "read_only" },
    unsaid: {},
    clear: { sizeCu: 2 },
    buffers: { ...size(1), pgSettings: { shared_buffers: "1GB" } },
    moved: { ...size(1), branchId: bench.branch() },
  };
  const places = Object.keys(changes).map((name) => [name, { projectId, branchId: bench.branch() }] as const);
  const program = (args: (name: keyof typeof changes) => object) =>
    is(
      Object.fromEntries(
        places.map(([name, place]) => [name, { args: { ...place, ...args(name as keyof typeof changes) } }]),
      ),
    );
  await program(() => size(1)).up();
  const changed = program((name) => changes[name]);
  const preview = await changed.preview();
  const hidden = "values that the program keeps secret are not shown";
  expect(said(preview, "changed")).toMatch(new RegExp(`restarts the endpoint.*${hidden}`));
  expect(said(preview, "replaced")).toMatch(new RegExp(`replaces the endpoint.*${hidden}`));
  for (const run of [preview, await changed.up(), await is({}).destroy()]) expect(said(run)).not.toMatch(sizes);
  expect(project.exportState().resources.filter(({ type }) => type === pluginHost.type)).toEqual([]);
});
