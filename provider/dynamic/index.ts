import { createDynamicProvider } from "./provider";

/** The provider that the launcher of dynamic providers asks for; `process.argv[2]` is the engine's address. */
export const provider = createDynamicProvider(process.argv[2], process.env);
