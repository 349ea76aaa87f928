/** The subjects of the matrix: what the provider does while a fault strikes. */
import type { Program, Values, Verb } from "../../engine-model/stack";
import { type Scene, settleIn } from "./scene";

/** What is done while the fault strikes: a table of the matrix. */
export interface Subject {
  title: string;
  /** One sentence: which calls are struck. */
  note: string;
  /** Routes that are struck in the first two columns; `endpoints.*` and `*` as the emulator has them. */
  route: string;
  /** Whether operations belong to it, so that their faults can strike. */
  operations: boolean;
  /** Brings everything to the moment before. Runs without faults. */
  prepare(scene: Scene): Promise<void>;
  /** The program that the run is to reach. */
  program(scene: Scene): Program;
  /** The verb whose beginning is the moment of the fault. */
  verb: Verb;
}

/** What a program says of the endpoint; nothing where it has none. */
type Endpoint = (scene: Scene) => Values | undefined;

const base = { projectId: "quiet-harbor-12345678" };

const writer = ({ a }: Scene) => ({ branchId: a, sizeCu: 1 });
const reader = ({ home }: Scene) => ({ branchId: home, type: "read_only", sizeCu: 1 });
const nothing = () => undefined;

/** A change of one endpoint, from what the program says of it first to what it says then. */
function changeOf(
  title: string,
  [verb, route]: readonly [Verb, string],
  note: string,
  [from, to]: readonly [Endpoint, Endpoint],
  rest: Partial<Subject> = {},
): Subject {
  const programOf = (main: Values | undefined): Program => (main ? { main: { args: { ...base, ...main } } } : {});
  return {
    ...{ title, verb, route, note, operations: true },
    prepare: async (scene) => {
      const before = programOf(from(scene));
      if (before.main) await settleIn(scene, before);
    },
    program: (scene) => programOf(to(scene)),
    ...rest,
  };
}

const noOperations = { operations: false };

/** Plans and creates. */
export const creating: readonly Subject[] = [
  changeOf(
    "check",
    ["check", "endpoints.list"],
    "Planning a new read-write endpoint; the list of the project's endpoints is struck.",
    [nothing, writer],
    noOperations,
  ),
  changeOf("create, read-write", ["create", "endpoints.create"], "`POST /endpoints` is struck.", [nothing, writer]),
  changeOf("create, read-only", ["create", "endpoints.create"], "`POST /endpoints` is struck.", [nothing, reader]),
];

/** Waits and reads. */
export const waiting: readonly Subject[] = [
  changeOf(
    "wait",
    ["create", "operations.*"],
    "Waiting for the operations of a create; the calls that look at them are struck.",
    [nothing, writer],
    noOperations,
  ),
  changeOf(
    "read",
    ["read", "endpoints.list"],
    "`pulumi refresh`; the list of endpoints is struck.",
    [writer, writer],
    noOperations,
  ),
  changeOf(
    "read with an operation kept",
    ["read", "operations.*"],
    "`pulumi refresh` after a wait that was too long; the calls that look at the operation are struck.",
    [writer, writer],
    {
      operations: false,
      prepare: async (scene) => {
        const { admin } = scene.bench.emulator;
        admin.configure({ operationMs: 90_000 });
        await settleIn(scene, { main: { args: { ...base, ...writer(scene) } } }, { timeoutMs: 2_000 });
        admin.configure({ operationMs: 1_000 });
      },
    },
  ),
];

/** Changes of an endpoint that stays. */
export const changing: readonly Subject[] = [
  changeOf("update", ["update", "endpoints.update"], "A new size; `PATCH /endpoints/{id}` is struck.", [
    writer,
    (scene) => ({ ...writer(scene), sizeCu: 2 }),
  ]),
  changeOf("move", ["update", "endpoints.update"], "Another branch; `PATCH /endpoints/{id}` is struck.", [
    writer,
    ({ b }) => ({ branchId: b, sizeCu: 1 }),
  ]),
  changeOf("restart", ["update", "endpoints.suspend"], "A new `restartTrigger`; the suspend call is struck.", [
    writer,
    (scene) => ({ ...writer(scene), restartTrigger: "now" }),
  ]),
  changeOf(
    "restart, second half",
    ["update", "endpoints.start"],
    "A new `restartTrigger`; the start call is struck.",
    [writer, (scene) => ({ ...writer(scene), restartTrigger: "now" })],
    noOperations,
  ),
];

/** Endpoints that are taken over, replaced or deleted. */
export const replacing: readonly Subject[] = [
  changeOf(
    "create by taking over",
    ["create", "endpoints.update"],
    "`adoptExisting` with another size; `PATCH /endpoints/{id}` is struck.",
    [nothing, ({ occupied }) => ({ branchId: occupied, sizeCu: 2, adoptExisting: true })],
  ),
  changeOf(
    "replace",
    ["create", "endpoints.create"],
    "A new type, which creates first and then deletes; `POST /endpoints` is struck.",
    [writer, (scene) => ({ ...writer(scene), type: "read_only" })],
  ),
  changeOf("delete", ["delete", "endpoints.delete"], "`DELETE /endpoints/{id}` is struck.", [writer, nothing]),
];
