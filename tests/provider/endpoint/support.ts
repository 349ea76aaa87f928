/** A bench with one account, for tests of one endpoint. */
import type { EmulatorOptions } from "../../../emulator";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import { BOOKKEEPING, type Bookkeeping, type EndpointState } from "../../../provider/endpoint/state";
import type { StoredEndpoint } from "../../../provider/endpoint/stored";
import type { AccountSettings } from "../../../provider/platform/account";
import { PartialError } from "../../../provider/platform/errors";
import type { LifecycleContext as Context } from "../../../provider/pulumi/call";
import type { CheckRequest } from "../../../provider/pulumi/endpoint/check";
import { check, create, update } from "../../../provider/pulumi/endpoint/lifecycle";
import { useBench } from "../../support/bench";

interface ChangeOptions {
  /** What the last run left. Default the endpoint as it was created. */
  from?: StoredEndpoint;
  /** The inputs of the last run. Default none, as a host gives them that has none. */
  oldInputs?: Record<string, unknown>;
  timeoutMs?: number;
}

/** A bench with one account, and an endpoint that is to be. */
export async function useOne(options: EmulatorOptions = {}, settings: Partial<AccountSettings> = {}) {
  const bench = await useBench(options);
  const context = bench.context({ account: bench.account({}, settings) });
  const inputs: EndpointInputs = {
    projectId: bench.emulator.projectId,
    branchId: bench.branch(),
    type: "read_write",
  };
  return {
    ...bench,
    ...{ bench, context, inputs },
    make: (changes: Partial<EndpointInputs> = {}, part: Partial<Context> = {}) =>
      create({ ...context, ...part }, { ...inputs, ...changes }),
    checked: (request: CheckRequest, part: Partial<Context> = {}) => bench.run(check({ ...context, ...part }, request)),
  };
}

/** The same with the endpoint there already. */
export async function useEndpoint(
  changes: Partial<EndpointInputs> = {},
  options: EmulatorOptions = {},
  settings: Partial<AccountSettings> = {},
) {
  const one = await useOne(options, settings);
  const { bench, context } = one;
  const { admin } = bench.emulator;
  const inputs: EndpointInputs = { ...one.inputs, ...changes };
  const stored = await bench.run(create(context, inputs));
  admin.clearLog();
  const endpointId = stored.id.split("/")[1] ?? "";
  return {
    ...one,
    ...{ inputs, stored, endpointId },
    live: () => admin.endpoint(endpointId),
    /** What was sent besides reading. */
    changes: () => admin.log().filter(({ method }) => method !== "GET"),
    /** Updates the endpoint as a program with these news would. */
    change: (news: Partial<EndpointInputs>, { from = stored, oldInputs, timeoutMs }: ChangeOptions = {}) =>
      update({ ...context, timeoutMs }, { ...from, inputs: { ...inputs, ...news }, oldInputs }),
  };
}

/** The partial error that work has ended in; fails where it is another. */
export async function partial(failed: Promise<unknown>): Promise<PartialError> {
  const error = await failed;
  if (error instanceof PartialError) return error;
  throw error;
}

/** The bookkeeping of a state. */
export function bookOf(state: Readonly<EndpointState>): Bookkeeping {
  return state[BOOKKEEPING] as Bookkeeping;
}
