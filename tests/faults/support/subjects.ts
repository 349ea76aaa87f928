import { callFunction } from "../../../provider/functions/functions";
import type { FunctionName } from "../../../provider/functions/model";
import type { Account } from "../../../provider/platform/account";
import { diff } from "../../../provider/pulumi/lifecycle";
import { urnOf } from "../../support/bench";
import type { Program, Step } from "../../support/engine-part";
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
  verb?: Step["verb"];
  /** A call that changes nothing; absent, the program is run. */
  ask?(scene: Scene, account: Account): Promise<unknown>;
}

const nothing = async () => {};

const writer = ({ a }: Scene) => ({ main: { ...base, branchId: a, sizeCu: 1 } });
const reader = ({ home }: Scene) => ({ main: { ...base, branchId: home, type: "read_only", sizeCu: 1 } });
const base = { projectId: "quiet-harbor-12345678" };

/** The subjects, in the order of the tables. */
export const subjects: readonly Subject[] = [
  {
    title: "check",
    note: "Planning a new read-write endpoint; the list of the project's endpoints is struck.",
    route: "endpoints.list",
    operations: false,
    prepare: nothing,
    program: writer,
    verb: "check",
  },
  {
    title: "diff",
    note: "Planning the move of a replica onto a branch that has an endpoint; the list of endpoints is struck.",
    route: "endpoints.list",
    operations: false,
    prepare: (scene) => settleIn(scene, reader(scene)),
    program: reader,
    ask: async ({ stack, occupied, bench }, account) => {
      const stored = stack.resources.get("main");
      if (!stored) throw new Error("prepare was to create it");
      const { id, state, inputs } = stored;
      const context = bench.context({ account, urn: urnOf("main") });
      const planned = await diff(context, { id, state, inputs: { ...inputs, branchId: occupied } });
      return planned.properties;
    },
  },
  {
    title: "create, read-write",
    note: "`POST /endpoints` is struck.",
    route: "endpoints.create",
    operations: true,
    prepare: nothing,
    program: writer,
    verb: "create",
  },
  {
    title: "create, read-only",
    note: "`POST /endpoints` is struck.",
    route: "endpoints.create",
    operations: true,
    prepare: nothing,
    program: reader,
    verb: "create",
  },
  {
    title: "create by taking over",
    note: "`adoptExisting` with another size; `PATCH /endpoints/{id}` is struck.",
    route: "endpoints.update",
    operations: true,
    prepare: nothing,
    program: ({ occupied }) => ({ main: { ...base, branchId: occupied, sizeCu: 2, adoptExisting: true } }),
    verb: "create",
  },
  {
    title: "wait",
    note: "Waiting for the operations of a create; the calls that look at them are struck.",
    route: "operations.*",
    operations: false,
    prepare: nothing,
    program: writer,
    verb: "create",
  },
  {
    title: "read",
    note: "`pulumi refresh`; the list of endpoints is struck.",
    route: "endpoints.list",
    operations: false,
    prepare: (scene) => settleIn(scene, writer(scene)),
    program: writer,
    verb: "read",
  },
  {
    title: "read with an operation kept",
    note: "`pulumi refresh` after a wait that was too long; the calls that look at the operation are struck.",
    route: "operations.*",
    operations: false,
    prepare: async (scene) => {
      scene.bench.emulator.admin.configure({ operationMs: 90_000 });
      await settleIn(scene, writer(scene), { timeoutMs: 2_000 });
      scene.bench.emulator.admin.configure({ operationMs: 1_000 });
    },
    program: writer,
    verb: "read",
  },
  {
    title: "update",
    note: "A new size; `PATCH /endpoints/{id}` is struck.",
    route: "endpoints.update",
    operations: true,
    prepare: (scene) => settleIn(scene, writer(scene)),
    program: ({ a }) => ({ main: { ...base, branchId: a, sizeCu: 2 } }),
    verb: "update",
  },
  {
    title: "move",
    note: "Another branch; `PATCH /endpoints/{id}` is struck.",
    route: "endpoints.update",
    operations: true,
    prepare: (scene) => settleIn(scene, writer(scene)),
    program: ({ b }) => ({ main: { ...base, branchId: b, sizeCu: 1 } }),
    verb: "update",
  },
  {
    title: "restart",
    note: "A new `restartTrigger`; the suspend call is struck.",
    route: "endpoints.suspend",
    operations: true,
    prepare: (scene) => settleIn(scene, writer(scene)),
    program: ({ a }) => ({ main: { ...base, branchId: a, sizeCu: 1, restartTrigger: "now" } }),
    verb: "update",
  },
  {
    title: "restart, second half",
    note: "A new `restartTrigger`; the start call is struck.",
    route: "endpoints.start",
    operations: false,
    prepare: (scene) => settleIn(scene, writer(scene)),
    program: ({ a }) => ({ main: { ...base, branchId: a, sizeCu: 1, restartTrigger: "now" } }),
    verb: "update",
  },
  {
    title: "replace",
    note: "A new type, which deletes first and then creates; `POST /endpoints` is struck.",
    route: "endpoints.create",
    operations: true,
    prepare: (scene) => settleIn(scene, writer(scene)),
    program: ({ a }) => ({ main: { ...base, branchId: a, type: "read_only", sizeCu: 1 } }),
    verb: "create",
  },
  {
    title: "delete",
    note: "`DELETE /endpoints/{id}` is struck.",
    route: "endpoints.delete",
    operations: true,
    prepare: (scene) => settleIn(scene, writer(scene)),
    program: () => ({}),
    verb: "delete",
  },
  functionSubject("getEndpoint", "endpoints.list", ({ endpointId }) => ({ endpointId })),
  functionSubject("getEndpoints", "endpoints.list", () => ({})),
  functionSubject("getOperation", "operations.get", ({ operationId }) => ({ operationId })),
  functionSubject("getOperations", "operations.list", () => ({})),
];

function functionSubject(
  name: FunctionName,
  route: string,
  args: (scene: Scene & { endpointId: string; operationId: string }) => Record<string, unknown>,
): Subject {
  return {
    title: name,
    note: "Its one call is struck.",
    route,
    operations: false,
    prepare: (scene) => settleIn(scene, writer(scene)),
    program: writer,
    ask: async (scene, account) => {
      const { endpointId, operationId } = scene;
      if (endpointId === undefined || operationId === undefined) throw new Error("prepare was to create them");
      const given = { projectId: base.projectId, ...args({ ...scene, endpointId, operationId }) };
      const { result, failures } = await callFunction(account, name, given);
      if (failures) throw new Error(JSON.stringify(failures));
      return result;
    },
  };
}
