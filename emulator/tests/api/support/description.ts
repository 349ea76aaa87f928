/**
 * The OpenAPI description that the platform's own client ships, as a check of answers: what in an answer is not as
 * described. Written against @neondatabase/api-client 2.7.3.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createApiClient } from "@neondatabase/api-client";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { parse } from "yaml";
import { root } from "../../../../tools/root.mjs";
import type { Emulator } from "../../../index";

/** The emulator's answer to one call, to check against the API's description. */
export interface Answered {
  method: string;
  /** Below the base address, with or without a query. */
  path: string;
  status: number;
  body: unknown;
}

/** A described call. */
export interface DescribedCall {
  method: string;
  /** With parameters in braces. */
  path: string;
}

interface Description {
  paths: Record<string, Record<string, { responses?: Record<string, Response> }>>;
  components: {
    responses: Record<string, Response>;
    schemas: Record<string, { example?: { id?: string } }>;
  };
}

interface Response {
  $ref?: string;
  content?: Record<string, { schema?: object; example?: unknown }>;
}

const METHODS = ["get", "post", "patch", "put", "delete"];
const file = join(root, "node_modules/@neondatabase/api-client/public-v2-for-users.gen.yaml");

/** The description as it is. */
export const description: Description = parse(readFileSync(file, "utf8"));

/** Every call that it describes. */
export const describedCalls: readonly DescribedCall[] = Object.entries(description.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) => ({ method: method.toUpperCase(), path })),
);

/**
 * Known deviations of the emulator's answers from the description, with the reasons. A test looks for each, so that
 * none outlives its need.
 */
export const knownDeviations = [
  {
    name: "`stopped` is a state of the specification (section 3.2); `disabledState: idle` does without",
    pattern: /^endpoints?\.(current|pending)_state: .*\("stopped"\)$/,
  },
  {
    name: "`delete_tenant` is an action of the specification (section 2.1)",
    pattern: /^operations?\.action: .*\("delete_tenant"\)$/,
  },
  {
    name: "pooler modes beside `transaction` are left open by the specification (section 2.3); `poolerModes` limits them",
    pattern: /^endpoints?\.pooler_mode: .*\("(session|statement)"\)$/,
  },
];

const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
addFormats.default(ajv);
ajv.addSchema(description, "description");
const compiled = new Map<string, ValidateFunction>();

/** The platform's own client, which takes refusals for answers, and where these are not as described. */
export function describedClient({ url: baseURL, apiKey }: Pick<Emulator, "url" | "apiKey">) {
  const deviations: string[] = [];
  const neon = createApiClient({ apiKey, baseURL, validateStatus: () => true });
  neon.instance.interceptors.response.use((answer) => {
    const { config, status, data } = answer;
    const call = { method: config.method?.toUpperCase() ?? "", path: config.url ?? "" };
    const found = deviationsOf({ ...call, status, body: data });
    if (!found) throw new Error(`${call.method} ${call.path} is not described`);
    deviations.push(...found);
    return answer;
  });
  return { neon, deviations };
}

/**
 * The deviations of an answer, as `FIELD: REASON (VALUE)` without list positions; `undefined` for an undescribed call.
 */
export function deviationsOf({ method, path, status, body }: Answered): string[] | undefined {
  // An answer to HEAD is that to GET, without its body.
  const call = method === "HEAD" ? undefined : callAt(method, path.split("?", 1)[0] ?? "");
  if (!call) return undefined;
  const responses = description.paths[call.path]?.[method.toLowerCase()]?.responses ?? {};
  const key = String(status) in responses ? String(status) : "default";
  const pointer = ["paths", call.path, method.toLowerCase(), "responses", key];
  const response = resolve(responses[key], pointer);
  if (!response.value.content) return body === undefined ? [] : ["body: there is none in the description"];
  const validate = validatorAt([...response.pointer, "content", "application/json", "schema"]);
  if (validate(body)) return [];
  return [...new Set((validate.errors ?? []).map((error) => formatError(error, body)))];
}

/** Without those that are known. */
export function unknownDeviations(found: readonly string[]): string[] {
  return found.filter((one) => !knownDeviations.some(({ pattern }) => pattern.test(one)));
}

/** The described call that a path belongs to: one without parameters before one with. */
function callAt(method: string, path: string): DescribedCall | undefined {
  const fitting = describedCalls.filter(
    (call) => call.method === method && new RegExp(`^${call.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );
  return fitting.sort((a, b) => a.path.split("{").length - b.path.split("{").length)[0];
}

function resolve(response: Response | undefined, pointer: string[]): { value: Response; pointer: string[] } {
  if (!response?.$ref) return { value: response ?? {}, pointer };
  const name = response.$ref.split("/").at(-1) ?? "";
  return { value: description.components.responses[name] ?? {}, pointer: ["components", "responses", name] };
}

function validatorAt(pointer: readonly string[]): ValidateFunction {
  const steps = pointer.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1")));
  const $ref = `description#/${steps.join("/")}`;
  const validate = compiled.get($ref) ?? ajv.compile({ $ref });
  compiled.set($ref, validate);
  return validate;
}

function formatError({ instancePath, keyword, params, message }: ErrorObject, body: unknown): string {
  const steps = instancePath.split("/").slice(1);
  const field = steps.filter((step) => !/^\d+$/.test(step)).join(".") || "body";
  if (keyword === "required") return `${field}.${params.missingProperty}: required`;
  const value = steps.reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], body);
  return `${field}: ${message} (${JSON.stringify(value)})`;
}
