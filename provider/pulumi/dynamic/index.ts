import type { dynamic } from "@pulumi/pulumi";
import { exitWithEngine } from "../engine";
import { createProviders, dropRepeatedErrors, openSession } from "./provider";

/** The launcher's interface, with a `configure` that has finished when it returns. */
type Launched = Omit<dynamic.ResourceProvider, "configure">;

dropRepeatedErrors(console);

const engineAddress = process.argv[2];

const providers = createProviders(openSession(engineAddress, process.env));

/** The provider of endpoints for the launcher of dynamic providers; `process.argv[2]` is the engine's address. */
export const provider: Launched = providers.provider;

/** The provider of fleets. */
export const fleetProvider: Launched = providers.fleetProvider;

// No other process ends a launcher whose engine was killed.
if (engineAddress !== undefined && /^[^-].*:\d+$/.test(engineAddress)) exitWithEngine(engineAddress);
