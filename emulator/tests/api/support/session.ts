/**
 * A session is a text: requests to an emulator line by line, each followed by its indented result: the answer, and
 * every change of the platform's state, unexpected ones included. A new record is shown by its differences from the
 * seeded one of its kind.
 *
 * - `with {"lock":"none"}`, first: options of the emulator
 * - `let one = active {"type":"read_only"}`: adds a `branch`, or an endpoint on a branch of its own, by an admin call;
 * {one} is its id from there on
 * - `wait 1000`, or `wait 1000 by 125` with a read every 125 milliseconds
 * - `POST endpoints {...} as new`: a call below the seeded project ({p}, with branch {b} and endpoint {e}; `.` is the
 * project), or below `/`. `3x` repeats it, `admin` makes it an admin call, `form a=b` sends a form, `headers {...}`
 * sends only these, `show endpoint.name, header-date` shows parts of the answer, which must exist, `show no pagination`
 * requires a part's absence. `as new` names the created object {new}, a branch's endpoints {new1}, {new2}, and repeated
 * calls' objects {new1}, {new2}
 */
import type { EmulatorOptions, OperationRecord } from "../../../index";
import { type Answer, type AnswerBody, type Opened, openEmulator } from "./open-emulator";

/** A part of a session's text that has an emulator of its own. */
export interface Session {
  title: string;
  lines: string[];
}

type Fields = { [field: string]: unknown };
type StateRecord = Fields & { kind: string };

const OUTPUT = "    ";
/** Of time, of each record's own making, or told by others. */
const UNTOLD = words(
  "id project_id host created_at updated_at state_changed_at last_active started_at suspended_at total_duration_ms kind",
);
const OF_ADMIN = words("connections waiting_connections dropped_connections max_connections restart_due kind");
/** What is only in answers, and looked at by tests of its own. */
const OF_ANSWER = words("hosts slug branch_slug project_slug group restricted_actions");
const OF_OPERATION = words("action endpoint_id branch_id");

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Cuts a file of sessions into them; what stands before the first is its head. */
export function readSessions(text: string): { head: string[]; sessions: Session[] } {
  const [head = "", ...parts] = text.trimEnd().split(/^(?=== )/m);
  const sessions = parts.map((part) => {
    const [title = "", ...lines] = part.trimEnd().split("\n");
    return { title: title.slice(3), lines };
  });
  return { head: head.trimEnd().split("\n"), sessions };
}

/** The text of a file, with what came of the lines as it is now. */
export function writeSessions(head: readonly string[], sessions: readonly Session[]): string {
  const parts = sessions.map(({ title, lines }) => [`== ${title}`, ...lines].join("\n"));
  return `${[head.join("\n"), ...parts].join("\n\n")}\n`;
}

/** Runs the lines of a session and answers them with what came of each. */
export async function runSession({ lines }: Session): Promise<string[]> {
  const inputs = lines.filter((line) => !line.startsWith(OUTPUT));
  const [first = ""] = inputs;
  const options: EmulatorOptions = first.startsWith("with ") ? JSON.parse(first.slice(5)) : {};
  const emulator = await openEmulator(options);
  const { projectId: p, branchId: b, endpointId: e } = emulator;
  const run = new Run(emulator, new Map(Object.entries({ p, b, e })));
  const told: string[] = [];
  for (const line of inputs) {
    const said = line === "" || line.startsWith("with ") || line.startsWith("#") ? [] : await run.take(line);
    told.push(line, ...said.map((one) => OUTPUT + one));
  }
  return told;
}

class Run {
  readonly #emulator: Opened;
  readonly #names: Map<string, string>;
  readonly #usual: Map<string, StateRecord>;
  readonly #operations: string[] = [];
  #before: Map<string, StateRecord>;

  constructor(emulator: Opened, names: Map<string, string>) {
    this.#emulator = emulator;
    this.#names = names;
    this.#before = this.#look();
    const usual = new Map([...this.#before.values()].map((record) => [record.kind, record]));
    // Of branches, only the first is the primary one.
    const branch = usual.get("branch");
    this.#usual = branch ? usual.set("branch", { ...branch, primary: false, default: false }) : usual;
  }

  async take(line: string): Promise<string[]> {
    const [, name = "", what = "", fields = "{}"] =
      /^let (\w+) = (branch|endpoint|idle|active) ?(.*)$/.exec(line) ?? [];
    if (name) {
      this.#names.set(name, this.#seed(what, JSON.parse(this.#toIds(fields || "{}"))));
      this.#before = this.#look();
      return [];
    }
    const [, ms, step] = /^wait (\d+)(?: by (\d+))?$/.exec(line) ?? [];
    return (ms ? this.#wait(Number(ms), Number(step ?? ms)) : await this.#ask(line)).map((one) => this.#toNames(one));
  }

  #seed(what: string, fields: Fields): string {
    const { admin, projectId } = this.#emulator;
    if (what === "branch") return admin.seedBranch(projectId, fields).id;
    const branch_id = String(fields.branch_id ?? admin.seedBranch(projectId).id);
    const state = what === "active" || what === "idle" ? ({ current_state: what } as const) : {};
    return admin.seedEndpoint(projectId, { branch_id, ...state, ...fields }).id;
  }

  #wait(ms: number, step: number): string[] {
    const told: string[] = [];
    for (let at = step; at <= ms; at += step) {
      this.#emulator.admin.advance(step);
      told.push(...this.#changes().map((change) => (step < ms ? `after ${at}: ${change}` : change)));
    }
    return told;
  }

  async #ask(line: string): Promise<string[]> {
    const { times, isAdmin, method, path, body, headers, shown, name } = parse(line, (text) => this.#toIds(text));
    const told: string[] = [];
    for (let time = 0; time < times; time++) {
      const answer = isAdmin
        ? await this.#emulator.admin_(method, path, body === undefined ? undefined : JSON.parse(body))
        : await this.#emulator.call(method, path.startsWith("/") ? path : `{p}/${path}`.replace(/\/\.$/, ""), {
            ...(body?.startsWith("form ") ? { form: body.slice(5) } : body !== undefined && { raw: body }),
            headers: {
              ...(body !== undefined && !body.startsWith("form ") && { "content-type": "application/json" }),
              ...(headers ?? { authorization: `Bearer ${this.#emulator.apiKey}` }),
            },
          });
      if (name) this.#remember(times === 1 ? name : `${name}${time + 1}`, answer.body);
      const isChange = answer.status < 400 && method !== "GET";
      const returned = isChange ? (answer.body?.operations ?? []) : [];
      const status = summary(answer, returned);
      const changes = this.#changes(new Set(returned.map(({ id }) => id)));
      const isSilent = answer.status === 200 && (isAdmin || (shown.length > 0 && returned.length === 0));
      if (!isSilent) told.push(status);
      told.push(...this.#differences(answer.body), ...changes, ...shownOf(answer, shown));
    }
    return counted(told);
  }

  #remember(name: string, body: AnswerBody): void {
    const { pagination, operations, endpoint, branch, snapshot, project } = body;
    const record = name.startsWith("op") ? operations[0] : (endpoint ?? snapshot ?? project ?? branch);
    const id = record?.id ?? pagination?.next ?? pagination?.cursor ?? (body as unknown as { id?: string }).id;
    if (id === undefined) throw new Error(`nothing to call ${name}`);
    this.#names.set(name, id);
    if (!branch) return;
    for (const [at, one] of (body.endpoints ?? []).entries()) this.#names.set(`${name}${at + 1}`, one.id);
  }

  /** Where an answer shows a record other than it is. */
  #differences(body: Partial<AnswerBody> = {}): string[] {
    const state = this.#look();
    const { endpoint, branch, operation, endpoints = [], branches = [], operations = [] } = body;
    const records = [endpoint, branch, operation, ...endpoints, ...branches, ...operations];
    return records.flatMap((shown) => {
      const is = shown && state.get(shown.id);
      if (!is) return [];
      const fields = Object.keys({ ...is, ...shown }).filter((field) => !OF_ADMIN.has(field) && !OF_ANSWER.has(field));
      return fields.flatMap((field) => {
        const [kept, told] = [is[field], (shown as unknown as Fields)[field]].map(text);
        return kept === told ? [] : [`the answer's ${labelOf(is)}: ${field} is ${told}`];
      });
    });
  }

  /** What has become other than it was at the last look, but for new operations that are told already. */
  #changes(returned: ReadonlySet<string> = new Set()): string[] {
    const [before, now] = [this.#before, this.#look()];
    this.#before = now;
    const gone = [...before.values()].filter(({ id }) => !now.has(String(id)));
    const made = [...now.values()].filter(({ id }) => !before.has(String(id)) && !returned.has(String(id)));
    const others = new Map<string, string[]>();
    const told: string[] = [];
    for (const record of now.values()) {
      const was = before.get(String(record.id));
      const change = was ? changed(was, record, true) : "";
      if (change === "") continue;
      if (record.kind !== "operation") told.push(`${labelOf(record)}: ${change}`);
      else others.set(change, [...(others.get(change) ?? []), labelOf(record)]);
    }
    const unlikeUsual = (record: StateRecord) => changed(this.#usual.get(record.kind) ?? {}, record, false);
    return [
      ...gone.map((record) => `- ${labelOf(record)}`),
      ...counted(made.map((record) => `+ ${labelOf(record)}: ${unlikeUsual(record)}`.replace(/: $/, ""))),
      ...told,
      ...[...others].map(([change, labels]) => `${labels.join(", ")}: ${change}`),
    ];
  }

  #look(): Map<string, StateRecord> {
    const records = new Map<string, StateRecord>();
    const add = (kind: string, list: readonly object[]) => {
      for (const one of list as Fields[]) records.set(String(one.id), { ...one, kind });
    };
    for (const { project, plan, branches, endpoints, operations } of this.#emulator.admin.state().projects) {
      add("project", [{ ...project, plan }]);
      add("branch", branches);
      add("endpoint", endpoints);
      add("operation", [...operations].reverse());
    }
    return records;
  }

  /** The place of an operation among all of its run. */
  #orderOf(id: string): number {
    if (!this.#operations.includes(id)) this.#operations.push(id);
    return this.#operations.indexOf(id) + 1;
  }

  #toIds(line: string): string {
    return line.replace(/\{(\w+)\}/g, (whole, name) => {
      const id = this.#names.get(name);
      if (id === undefined) throw new Error(`nothing is called ${whole}`);
      return id;
    });
  }

  #toNames(line: string): string {
    const names = [...this.#names].sort(([, one], [, other]) => other.length - one.length);
    const named = names.reduce((told, [name, id]) => told.replaceAll(id, `{${name}}`), line);
    return named.replace(UUID, (id) => `#${this.#orderOf(id)}`);
  }
}

function parse(line: string, toIds: (text: string) => string) {
  const call =
    /^(?:(\d+)x )?(admin )?([A-Z]+) (\S*)(.*?)(?: headers (\{.*\}))?(?: show ((?:(?:no )?[\w.*-]+(?:, )?)+))?(?: as (\w+))?$/.exec(
      line,
    );
  if (!call) throw new Error(`no line of a session: ${line}`);
  const [, times = "1", admin, method = "", path = "", body = "", headers, shown, name] = call;
  if (/ (?:headers|show|as) \S+$/.test(body)) throw new Error(`headers, show and as come in this order: ${line}`);
  return {
    times: Number(times),
    isAdmin: admin !== undefined,
    method,
    path: toIds(path),
    body: body.trim() === "" ? undefined : toIds(body.trim()),
    headers: headers === undefined ? undefined : (JSON.parse(headers) as Record<string, string>),
    shown: shown?.split(", ") ?? [],
    name,
  };
}

/** The status, and of a failure the code and the message, of a change its operations. */
function summary({ status, body, text: whole }: Answer, operations: readonly OperationRecord[]): string {
  if (body === undefined) return whole === "" ? `${status}` : `${status} ${whole.slice(0, 60)}`;
  if (status >= 400) return `${status} ${body.code ? `${body.code}: ` : ""}${body.message}`;
  const labels = operations.map(
    (one) => `${labelOf({ ...one, kind: "operation" })} ${one.status}${one.error ? `: ${one.error}` : ""}`,
  );
  return [status, ...labels].join(", ");
}

/** What the line asks to see: fields of the body by their path, `*` for all of it, or a header. */
function shownOf({ body, headers }: Answer, shown: readonly string[]): string[] {
  return shown.map((what) => {
    if (what === "*") return text(body);
    const path = what.replace(/^no /, "");
    const header = /^header-(.*)/.exec(path)?.[1];
    const value = header ? (headers.get(header) ?? undefined) : path.split(".").reduce<unknown>(at, body);
    if ((value === undefined) !== what.startsWith("no ")) throw new Error(`show ${what}: it is ${text(value)}`);
    return value === undefined ? what : `${header ?? path}: ${header ? value : text(value)}`;
  });
}

/** The field of a value, or of each in a list; `undefined` where none of the list has it. */
function at(value: unknown, step: string): unknown {
  if (!Array.isArray(value)) return (value as Fields | undefined)?.[step];
  const all = value.map((one) => at(one, step));
  return all.every((one) => one === undefined) ? undefined : all;
}

function labelOf({ kind, action, endpoint_id, branch_id, id }: Fields): string {
  return kind === "operation" ? `${action} of ${endpoint_id ?? branch_id}` : `${kind} ${id}`;
}

/**
 * The fields in which a record differs from another: the old value if the other is its earlier form, and the new one.
 */
function changed(before: Fields, now: StateRecord, isSame: boolean): string {
  const isLabel = (field: string) => UNTOLD.has(field) || (now.kind === "operation" && OF_OPERATION.has(field));
  const fields = Object.keys({ ...before, ...now }).filter((field) => !isLabel(field));
  const told = fields.flatMap((field) => {
    const [was, is] = [text(before[field]), text(now[field])];
    if (was === is) return [];
    const name = field === "status" ? "" : `${field} `;
    return [isSame ? `${name}${was} -> ${is}` : `${name}${is}`];
  });
  return told.join(", ");
}

/** Distinct lines, each with its count. */
function counted(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`));
}

/** A value as it is written in a session. */
function text(value: unknown): string {
  if (value === undefined) return "none";
  return typeof value === "string" && /^[\w.:-]+$/.test(value) ? value : JSON.stringify(value);
}

function words(all: string): Set<string> {
  return new Set(all.split(" "));
}
