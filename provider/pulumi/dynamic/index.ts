import type { dynamic } from "@pulumi/pulumi";
import { exitWithEngine } from "../engine";
import { endpointKind, fleetKind } from "../resource";
import { createProvider, openSession, sayErrorsOnce } from "./provider";

/** The launcher's interface. Pulumi's `configure` may finish later; this one is done when it returns. */
type Launched = Omit<dynamic.ResourceProvider, "configure">;

sayErrorsOnce(console);

const engineAddress = process.argv[2];

// One for both kinds of resource: what a fleet does, an endpoint has to know, and the other way round.
const session = openSession(engineAddress, process.env);

/** The provider of endpoints that the launcher of dynamic providers asks for; `process.argv[2]` is the engine's address. */
export const provider: Launched = createProvider(session, endpointKind);

/** The provider of fleets. */
export const fleetProvider: Launched = createProvider(session, fleetKind);

// Nobody else ends a launcher whose engine was killed.
if (engineAddress !== undefined && /^[^-].*:\d+$/.test(engineAddress)) exitWithEngine(engineAddress);
