import type { EmulatorOptions } from "../../../emulator";
import type { Context } from "../../../provider/endpoint/context";
import { create } from "../../../provider/endpoint/create";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import type { StoredEndpoint } from "../../../provider/endpoint/settle";
import { BOOKKEEPING, type Bookkeeping, type EndpointState } from "../../../provider/endpoint/state";
import { update } from "../../../provider/endpoint/update";
import type { AccountSettings } from "../../../provider/platform/account";
import { type CheckRequest, check } from "../../../provider/pulumi/check";
import { useBench } from "../../support/bench";

/** A bench with one account, one context, and an endpoint that is there already. */
export async function useEndpoint(
  changes: Partial<EndpointInputs> = {},
  options: EmulatorOptions = {},
  settings: Partial<AccountSettings> = {},
) {
  const bench = await useBench(options);
  const account = bench.account({}, settings);
  const context = bench.context({ account });
  const inputs: EndpointInputs = {
    projectId: bench.emulator.projectId,
    branchId: bench.branch(),
    type: "read_write",
    ...changes,
  };
  const stored = await bench.run(create(context, inputs));
  bench.emulator.admin.clearLog();
  const endpointId = stored.id.split("/")[1] ?? "";
  return {
    ...bench,
    bench,
    context,
    inputs,
    stored,
    endpointId,
    live: () => bench.emulator.admin.endpoint(endpointId),
    /** What was sent besides reading. */
    changes: () => bench.emulator.admin.log().filter(({ method }) => method !== "GET"),
    change: (
      news: Partial<EndpointInputs>,
      part: Partial<Context> = {},
      from: StoredEndpoint = stored,
      oldInputs?: Record<string, unknown>,
    ) => update({ ...context, ...part }, { ...from, inputs: { ...inputs, ...news }, oldInputs }),
  };
}

/** A bench, and a create of one endpoint that is to be. */
export async function useCreate(options: EmulatorOptions = {}, settings: Partial<AccountSettings> = {}) {
  const bench = await useBench(options);
  const account = bench.account({}, settings);
  const context = bench.context({ account });
  const inputs: EndpointInputs = {
    projectId: bench.emulator.projectId,
    branchId: bench.branch(),
    type: "read_write",
  };
  return {
    ...bench,
    bench,
    context,
    inputs,
    make: (changes: Partial<EndpointInputs> = {}, part: Partial<Context> = {}) =>
      create({ ...context, ...part }, { ...inputs, ...changes }),
  };
}

/** A bench, and checks of a resource that is to be. */
export async function useCheck(settings: Partial<AccountSettings> = {}, options: EmulatorOptions = {}) {
  const bench = await useBench(options);
  const context = bench.context({ account: bench.account({}, settings) });
  const inputs = { projectId: bench.emulator.projectId, branchId: bench.branch() };
  return {
    ...bench,
    bench,
    context,
    inputs,
    checked: (request: CheckRequest, part: Partial<Context> = {}) => bench.run(check({ ...context, ...part }, request)),
  };
}

/** The bookkeeping of a state. */
export function bookOf(state: Readonly<EndpointState>): Bookkeeping {
  return state[BOOKKEEPING] as Bookkeeping;
}
