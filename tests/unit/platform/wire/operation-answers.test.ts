import { describe, expect, it } from "vitest";
import { decode, operationAnswer, operationsAnswer } from "../../../../provider/platform/wire/answers";
import { wireOperation } from "../../../support/samples";

const ESC = String.fromCharCode(0x1b);

describe("operations", () => {
  it("are decoded into the provider's names", () => {
    const extra = { error: `bad${ESC}[31m\nthings`, retry_at: "2025-01-01T00:00:09Z", total_duration_ms: 12 };
    expect(decode(operationAnswer, { operation: wireOperation(extra) })).toEqual({
      ok: true,
      value: {
        id: "a07f8772-1877-4da9-a939-3a3ae62d1d8d",
        projectId: "p-one",
        branchId: "br-main-1",
        endpointId: "ep-calm-sea-1",
        action: "start_compute",
        status: "running",
        failuresCount: 0,
        createdAt: "2025-01-01T00:00:00Z",
        updatedAt: "2025-01-01T00:00:00Z",
        error: "bad things",
        retryAt: "2025-01-01T00:00:09Z",
        totalDurationMs: 12,
      },
    });
  });

  it("have times in UTC, where those do not say so", () => {
    const times = {
      created_at: "2025-01-01T00:00:00",
      updated_at: "2025-01-01T00:00:01",
      retry_at: "2025-01-01T00:00:09",
    };
    expect(decode(operationAnswer, { operation: wireOperation(times) })).toMatchObject({
      value: { createdAt: "2025-01-01T00:00:00Z", updatedAt: "2025-01-01T00:00:01Z", retryAt: "2025-01-01T00:00:09Z" },
    });
  });

  it.each([
    ["an unknown action", { action: "juggle_compute" }],
    ["an unknown status", { status: "pondering" }],
    ["no endpoint", { endpoint_id: undefined }],
    ["a null branch", { branch_id: null }],
    ["an id that is no UUID", { id: "Op-123" }],
  ])("tolerate %s", (_, change) => {
    expect(decode(operationAnswer, { operation: wireOperation(change) }).ok).toBe(true);
  });

  it.each([
    [{ id: "a/b" }, "operation.id: is not a legal id"],
    [{ status: 3 }, "operation.status: expected string, got number"],
    [{ failures_count: "0" }, "operation.failures_count: expected number, got string"],
  ])("refuse %j", (change, reason) => {
    expect(decode(operationAnswer, { operation: wireOperation(change) })).toEqual({ ok: false, reason });
  });
});

describe("pages of operations", () => {
  it("show what can be read of each, since most are somebody else's", () => {
    const odd = { endpoint_id: "", branch_id: 7, updated_at: null, failures_count: "none", retry_at: 1 };
    const result = decode(operationsAnswer, { operations: [wireOperation(), wireOperation(odd)] });
    if (!result.ok) throw new Error(result.reason);
    const [whole, part] = result.value.items;
    expect(part).toMatchObject({ id: whole?.id, status: "running", failuresCount: 0, updatedAt: "" });
    expect(part).not.toHaveProperty("endpointId");
  });

  it.each([
    [{ operations: [] }, undefined],
    [{ operations: [], pagination: null }, undefined],
    [{ operations: [], pagination: {} }, undefined],
    [{ operations: [], pagination: { cursor: "" } }, undefined],
    [{ operations: [], pagination: { cursor: null } }, undefined],
    [{ operations: [], pagination: { cursor: "c1" } }, "c1"],
  ])("%j has the cursor %s", (json, cursor) => {
    const result = decode(operationsAnswer, json);
    expect(result.ok && result.value.cursor).toBe(cursor);
  });
});
