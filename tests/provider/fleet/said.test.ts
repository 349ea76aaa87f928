import { expect, it } from "vitest";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { useFleet } from "./support";

type Values = Record<string, unknown>;

const places = (branches: readonly string[]) => {
  const [a, b, c] = branches.map((branchId) => ({ branchId }));
  return { a, b, c };
};
type Places = ReturnType<typeof places>;

const deleted = "deletes the endpoint permanently: open connections are dropped";
const released = "releases the endpoint: it keeps running, outside this stack; connections stay";

it.each<[string, { first(at: Places): Values; next(at: Places): Values; level: string; message: string }]>([
  [
    "that members are deleted",
    { first: ({ a, b, c }) => ({ a, b, c }), next: ({ a }) => ({ a }), level: "warn", message: `b and c: ${deleted}` },
  ],
  [
    "that a member is deleted on which nothing runs",
    {
      first: ({ a, b }) => ({ a, b: { ...b, disabled: true } }),
      next: ({ a }) => ({ a }),
      level: "info",
      message: "b: deletes the endpoint permanently",
    },
  ],
  [
    "that a member is released",
    {
      first: ({ a, b }) => ({ a, b: { ...b, retainOnDelete: true } }),
      next: ({ a }) => ({ a }),
      level: "info",
      message: `b: ${released}`,
    },
  ],
  [
    "that an endpoint stays whose member is replaced",
    {
      first: ({ a }) => ({ a: { ...a, type: "read_only", retainOnDelete: true } }),
      next: ({ a }) => ({ a }),
      level: "info",
      message: "a: the old endpoint is not deleted: it stays on the platform, outside the fleet",
    },
  ],
  [
    "that only a member's options change",
    {
      first: ({ a, b }) => ({ a, b }),
      next: ({ a, b }) => ({ a, b: { ...b, protect: true } }),
      level: "info",
      message: "b: only its options change: nothing of the endpoint does",
    },
  ],
  [
    "that an importId may turn out to be any endpoint's",
    {
      first: ({ a }) => ({ a }),
      next: ({ a, b }) => ({ a, b: { ...b, importId: UNKNOWN } }),
      level: "info",
      message:
        "b: importId is not known yet: the endpoint that it names is taken over, and whatever differs from the program changes in place",
    },
  ],
  [
    "that a branch that is not known yet may mean another endpoint",
    {
      first: ({ a }) => ({ a }),
      next: () => ({ a: { branchId: UNKNOWN } }),
      level: "info",
      message:
        "a: branchId is not known yet: it moves in place to a branch without endpoints; beside another it is replaced, and the host " +
        "name changes",
    },
  ],
])("a preview says %s", async (_, { first, next, level, message }) => {
  const { bench, fleet } = await useFleet();
  const at = places([bench.branch(), bench.branch(), bench.branch()]);
  const program = (endpoints: Values) => ({ projectId: bench.emulator.projectId, endpoints, maxDeletions: 9 });
  expect((await fleet.up(program(first(at)))).error).toBeUndefined();
  fleet.restart();
  const { rows, error } = await fleet.preview(program(next(at)));
  expect(error).toBeUndefined();
  expect(rows).toContainEqual({ level, name: "previews", message });
});
