/** Lets every refusal of these tests be followed as data. */
import { vi } from "vitest";
import { recording, recordingFleets } from "./refusals";

vi.mock("../../../provider/pulumi/messages/refusals", async (original) => recording(await original()));
vi.mock("../../../provider/pulumi/messages/fleet", async (original) => recordingFleets(await original()));
