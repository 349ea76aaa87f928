import { exitWithEngine } from "../engine/life";
import { sayErrorsOnce } from "./errors";
import { createDynamicProvider } from "./provider";

sayErrorsOnce(console);

const engineAddress = process.argv[2];

/** The provider that the launcher of dynamic providers asks for; `process.argv[2]` is the engine's address. */
export const provider = createDynamicProvider(engineAddress, process.env);

// Nobody else ends a launcher whose engine was killed.
if (engineAddress !== undefined && /^[^-].*:\d+$/.test(engineAddress)) exitWithEngine(engineAddress);
