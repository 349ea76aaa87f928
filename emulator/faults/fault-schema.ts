import { z } from "zod";
import type { CallEffect, Fault, OperationEffect } from "./fault";

const when = z.enum(["before", "after"]).optional();
// A hundred years: longer makes times that no calendar has.
const ms = z.number().min(0).max(3.2e12);
const status = z.int().min(200).max(599);
const text = z.string().max(100_000);

const callEffect: z.ZodType<CallEffect> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("reset"), when }),
  z.strictObject({ kind: z.literal("stall-headers"), when }),
  z.strictObject({ kind: z.literal("stall-body") }),
  z.strictObject({ kind: z.literal("truncate-body") }),
  z.strictObject({
    kind: z.literal("status"),
    status,
    when,
    retryAfter: z.strictObject({ form: z.enum(["none", "seconds", "date"]), seconds: ms }).optional(),
    code: text.optional(),
    message: text.optional(),
    echo: z.boolean().optional(),
    html: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal("html"), status: status.optional(), when }),
  z.strictObject({ kind: z.literal("json"), body: z.json().optional() }),
  z.strictObject({ kind: z.literal("unknown-enum"), fields: z.array(text).optional() }),
  z.strictObject({
    kind: z.literal("huge-body"),
    bytes: z
      .int()
      .min(14)
      .max(1024 ** 3)
      .optional(),
  }),
  z.strictObject({
    kind: z.literal("redirect"),
    location: z.string().regex(/^[!-~]{1,2000}$/),
    status: z.int().min(300).max(399).optional(),
  }),
  z.strictObject({ kind: z.literal("delay"), ms, when }),
  z.strictObject({ kind: z.literal("stale-list"), ageMs: ms.optional(), at: z.number().optional() }),
  z.strictObject({ kind: z.literal("drop-endpoint"), endpointId: text.optional() }),
]);

const operationEffect: z.ZodType<OperationEffect> = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("fail"),
    status: z.enum(["failed", "error", "cancelled"]).optional(),
    error: text.optional(),
    failures: z.int().min(0).optional(),
  }),
  z.strictObject({
    kind: z.literal("fail-then-finish"),
    failures: z.int().min(1).max(1000).optional(),
    retryMs: ms.optional(),
    error: text.optional(),
  }),
  z.strictObject({ kind: z.literal("hang"), status: text.optional() }),
  z.strictObject({ kind: z.literal("vanish"), afterMs: ms.optional() }),
  z.strictObject({ kind: z.literal("backwards") }),
  z.strictObject({ kind: z.literal("skip") }),
  z.strictObject({ kind: z.literal("unknown-status"), status: text.optional() }),
  z.strictObject({ kind: z.literal("unknown-action"), action: text.optional() }),
  z.strictObject({ kind: z.literal("slow"), operationMs: ms }),
]);

const frequency = {
  skip: z.int().min(0).optional(),
  count: z.int().min(0).optional(),
  probability: z.number().min(0).max(1).optional(),
};

const glob = z.string().max(1_000).regex(/^[/*]/, { error: "must begin with / or *, which stands for any text" });

/** A fault rule. One without `on` is a rule of calls. */
export const faultSchema: z.ZodType<Fault> = z.discriminatedUnion("on", [
  z.strictObject({
    on: z.literal("operation"),
    action: text.optional(),
    endpointId: text.optional(),
    branchId: text.optional(),
    ...frequency,
    effect: operationEffect,
  }),
  z.strictObject({
    on: z.literal("call").optional(),
    method: text.optional(),
    route: text.optional(),
    path: glob.optional(),
    ...frequency,
    effect: callEffect,
  }),
]);
