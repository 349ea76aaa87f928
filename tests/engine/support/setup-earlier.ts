import type { TestProject } from "vitest/node";
import { earlierEngineBin } from "../../../tools/engine/install.mjs";
import setup from "./setup";

/** As for the other engine tests, with the earlier engine that is still supported. */
export default function setupEarlier(project: TestProject): Promise<() => void> {
  return setup(project, earlierEngineBin);
}
