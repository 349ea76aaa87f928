/** Lets every refusal of these tests be followed as data. */
import { vi } from "vitest";
import { recording, recordingFleets } from "./refusals";

vi.mock("../../../provider/pulumi/advice", async (original) => recording(await original()));
vi.mock("../../../provider/pulumi/fleet/messages", async (original) => recordingFleets(await original()));
