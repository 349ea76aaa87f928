import { describe, expect, it } from "vitest";
import type { EndpointState } from "../../../emulator";
import { type EndpointProperty, endpointProperties } from "../../../provider/endpoint/properties";
import { UNKNOWN } from "../../engine-model/deployment/resource";
import { useStack, type Values } from "../../engine-model/stack";

type Used = Awaited<ReturnType<typeof useStack>>;

/** What the program says of a property, at first and at last, and what somebody else makes of it. */
interface Row {
  first: Values;
  last: Values;
  drift?: Parameters<Used["admin"]["changeEndpoint"]>[1];
  /** The fields of the platform that it sets. Default: of the drift. */
  fields?: readonly (keyof EndpointState)[];
}

const [MIN, MAX] = ["autoscalingLimitMinCu", "autoscalingLimitMaxCu"] as const;
const limits = (min: number, max: number) => ({ [MIN]: min, [MAX]: max });
const wire = (min: number, max: number) => ({ autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max });
const workMem = (work_mem: string) => ({ pgSettings: { work_mem } });

function rowsOf({ branch, admin }: Used): Record<EndpointProperty, Row> {
  const size = { first: limits(2, 4), last: limits(1, 5), drift: wire(3, 3) };
  const other = admin.seedProject().project.id;
  return {
    projectId: { first: {}, last: { projectId: other }, fields: ["project_id"] },
    branchId: { first: { branchId: branch() }, last: { branchId: branch() }, drift: { branch_id: branch() } },
    type: { first: { type: "read_write" }, last: { type: "read_only" }, fields: ["type"] },
    name: { first: { name: "one" }, last: { name: "two" }, drift: { name: "three" } },
    sizeCu: { first: { sizeCu: 1 }, last: { sizeCu: 4 }, drift: wire(2, 2) },
    [MIN]: { ...size, fields: ["autoscaling_limit_min_cu"] },
    [MAX]: { ...size, fields: ["autoscaling_limit_max_cu"] },
    suspendTimeoutSeconds: {
      first: { suspendTimeoutSeconds: 60 },
      last: { suspendTimeoutSeconds: 900 },
      drift: { suspend_timeout_seconds: 600 },
    },
    poolerEnabled: { first: { poolerEnabled: true }, last: {}, drift: { pooler_enabled: false } },
    poolerMode: { first: { poolerMode: "session" }, last: {}, drift: { pooler_mode: "statement" } },
    pgSettings: {
      first: workMem("8MB"),
      last: workMem("10MB"),
      drift: { settings: { pg_settings: { work_mem: "9MB" } } },
    },
    preloadLibraries: { first: { preloadLibraries: ["auto_explain"] }, last: {}, fields: ["settings"] },
    disabled: { first: { disabled: true }, last: {}, drift: { disabled: false } },
    passwordlessAccess: {
      first: { passwordlessAccess: true },
      last: { passwordlessAccess: false },
      drift: { passwordless_access: false },
    },
    adoptExisting: { first: { adoptExisting: true }, last: {}, fields: [] },
    restartWhen: { first: { restartWhen: "now" }, last: { restartWhen: "idle" }, fields: [] },
    restartTrigger: { first: { restartTrigger: "1" }, last: { restartTrigger: "2" }, fields: ["started_at"] },
  };
}

/** Paths that ignore X of member `a`, which has it of its own or from the defaults. `ignored.test.ts` has the others. */
const ofMember = ["endpoints.a.X", "endpoints[*].X", "endpoints.a"];
const ofDefaults = ["defaults.X", "defaults"];

const cases = (["member", "defaults"] as const)
  .flatMap((place) => [...ofMember, ...ofDefaults].map((path) => ({ place, path })))
  .flatMap((one) => (["none", "unseen", "seen"] as const).map((drift) => ({ ...one, drift })));

const isCovered = ({ place, path }: (typeof cases)[number]) => place === "defaults" || !path.startsWith("defaults");

describe("what is ignored of a member: preview and up are one", () => {
  it.each(cases.filter(isCovered))("X of its $place by $path, with drift: $drift", async ({ place, path, drift }) => {
    const used = await useStack();
    const { admin, stack } = used;
    const rows = rowsOf(used);
    // All members would get one name.
    const properties = endpointProperties.filter((property) => place === "member" || property !== "name");
    const homes = new Map(properties.map((property) => [property, used.branch()]));

    /** A fleet for each property, with one member. */
    const program = (version: "first" | "last") => {
      const fleets = properties.map((property) => {
        const values = rows[property][version];
        const at = values.branchId ? {} : { branchId: homes.get(property) };
        const { fleet } =
          place === "member"
            ? used.program({ a: { ...at, ...values } })
            : used.program({ a: at }, { defaults: values });
        const ignoreChanges = version === "last" ? [path.replace("X", property)] : [];
        return [`f-${property}`, { ...fleet, ignoreChanges }] as const;
      });
      return Object.fromEntries(fleets);
    };
    const stored = (property: EndpointProperty) => stack.endpoints(`f-${property}`).a ?? {};
    const idOf = (property: EndpointProperty) => String(stored(property).endpointId);
    const live = () =>
      properties.map((property) => {
        const { drift, fields = Object.keys(drift ?? {}) as (keyof EndpointState)[] } = rows[property];
        const there = admin.endpoint(idOf(property));
        return [property, there.id, ...fields.map((field) => there[field])];
      });

    expect((await stack.up(program("first"))).messages).toEqual([]);
    for (const property of properties) {
      const { drift: changes } = rows[property];
      if (changes && drift !== "none") admin.changeEndpoint(idOf(property), changes);
    }
    if (drift === "seen") await stack.refresh();
    const before = live();

    const preview = await stack.preview(program("last"));
    const up = await stack.up(program("last"));
    expect([...preview.messages, ...up.messages]).toEqual([]);
    for (const property of properties) expect(stored(property)).toMatchObject(shownOf(preview.previewed, property));

    // The platform takes both limits together: of what no run has seen the state's goes with the other one.
    const isSent = ([property]: readonly unknown[]) => drift === "unseen" && (property === MIN || property === MAX);
    expect(live().filter((one) => !isSent(one))).toEqual(before.filter((one) => !isSent(one)));
    expect((await stack.preview(program("last"))).isChanged).toBe(false);
  });
});

/** What a preview shows of the member of a property's fleet, as far as it knows it. */
function shownOf(previewed: Record<string, Values>, property: EndpointProperty): Values {
  const { endpoints = {} } = previewed[`f-${property}`] ?? {};
  const shown = (endpoints as Record<string, Values>).a ?? {};
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== UNKNOWN));
}

it("what the defaults ignore of a member's own value is nothing, though it becomes the default's", async () => {
  const used = await useStack();
  const { admin, stack } = used;
  const branchId = used.branch();
  const program = (suspendTimeoutSeconds: number) => {
    const { fleet } = used.program(
      { a: { branchId, suspendTimeoutSeconds } },
      { defaults: { suspendTimeoutSeconds: 300 } },
    );
    return { fleet: { ...fleet, ignoreChanges: ["defaults.suspendTimeoutSeconds"] } };
  };
  await stack.up(program(60));
  expect((await stack.up(program(300))).changes).toEqual({ a: "update" });
  expect(admin.endpoint(String(stack.endpoints().a?.endpointId))).toMatchObject({ suspend_timeout_seconds: 300 });
});
