import { describe, expect, it } from "vitest";
import { providerText } from "../../../sdk/provider-text";
import { hosts } from "../support/hosts";
import { useBench } from "../support/platform";
import type { Run } from "../support/run";

const bench = useBench();

/** Everything that a run showed or logged: both streams and the event log. */
function everything(runs: Run[]): string {
  return runs.map(({ text, events }) => text + JSON.stringify(events)).join("\n");
}

/**
 * All output without debug events, which no one sees: Pulumi's Node.js SDK writes whole answers of the engine into
 * them, with secrets.
 */
function everythingShown(runs: Run[]): string {
  const isDebug = ({ diagnosticEvent }: Run["events"][number]) => (diagnosticEvent?.severity as string) === "debug";
  return everything(runs.map((run) => ({ ...run, events: run.events.filter((event) => !isDebug(event)) })));
}

/** The forms in which a text could leak: as it is, and as it stands in JSON or base64. */
function formsOf(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString("base64")];
}

describe.each(hosts)("secrets with the $name host", (host) => {
  it("leaves no trace at all of a key from the environment, whatever is logged", async () => {
    const { projectId } = bench;
    const { apiKey } = bench.emulator;
    const branchId = bench.branch();
    const { project, is, idOf } = bench.program(host);
    await project.cli(["config", "rm", "pgcompute:apiKey", "--stack", "dev"]);
    const stack = is({ main: { args: { projectId, branchId } } });
    const loud = { env: { PGCOMPUTE_API_KEY: apiKey }, args: ["-v=11", "--logtostderr"] };
    const runs = [await stack.up(loud)];
    expect(bench.on(branchId)).toHaveLength(1);
    // The log is as loud as it gets, or this would say nothing.
    expect(runs[0]?.stderr).toContain(idOf("main"));
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
    const [inOne, inAll] = bench.branches(2);
    const { project, is, stored } = bench.program(host);
    const hidden = (what: string, turn: number) => `hidden-${what}-${turn}-${host.name}`;
    const declared = (turn: number, more: object = {}) => {
      const one = { work_mem: "8MB", "app.token": { secret: hidden("one", turn) } };
      const all = { secret: { "app.token": hidden("all", turn) } };
      return is({
        one: { args: { projectId, branchId: inOne, pgSettings: one, ...more } },
        all: { args: { projectId, branchId: inAll, pgSettings: all, ...more } },
      });
    };
    const runs: Run[] = [];
    const states: string[] = [];
    const note = (run: Run) => {
      runs.push(run);
      states.push(project.stateText());
      return run;
    };
    note(await declared(1).up());
    // What Pulumi writes into the state of a dynamic resource is a short text, and for the plugin none at all.
    const { inputs, outputs } = stored("one");
    const text = host.name === "plugin" ? undefined : providerText("provider");
    expect([inputs?.__provider, outputs?.__provider]).toEqual([text, text]);

    expect(note(await declared(2).preview({ args: ["--diff"] })).changes).toMatchObject({ update: 2 });
    const changed = declared(2, { sizeCu: 2 });
    admin.addFault({ route: "endpoints.*", count: 2, effect: { kind: "status", status: 400, echo: true } });
    note(await changed.up({ expectFailure: true }));
    admin.clearFaults();
    note(await changed.up());
    const settings = { work_mem: "8MB", "app.token": hidden("one", 2) };
    expect(bench.on(inOne)).toMatchObject([{ settings: { pg_settings: settings } }]);
    expect(bench.on(inAll)).toMatchObject([{ settings: { pg_settings: { "app.token": hidden("all", 2) } } }]);
    admin.changeEndpoint(bench.on(inOne)[0]?.id ?? "", { suspend_timeout_seconds: 60 });
    note(await changed.refresh());
    for (const name of ["one", "all"]) {
      const sealed = '"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270"';
      for (const side of [stored(name).inputs, stored(name).outputs]) {
        expect(JSON.stringify(side?.pgSettings), name).toContain(sealed);
      }
    }
    note(await changed.destroy());
    for (const form of [1, 2].flatMap((turn) => [...formsOf(hidden("one", turn)), ...formsOf(hidden("all", turn))])) {
      expect(everythingShown(runs)).not.toContain(form);
      expect(states.join("\n")).not.toContain(form);
    }
    for (const form of formsOf(apiKey)) {
      expect(everything(runs)).not.toContain(form);
      expect(states.join("\n")).not.toContain(form);
    }
  });
});
