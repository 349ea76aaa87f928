import { describe, expect, it } from "vitest";
import { description } from "../../../../emulator/tests/api/support/description";
import {
  branchAnswer,
  branchesAnswer,
  changeAnswer,
  decode,
  deletionAnswer,
  endpointAnswer,
  endpointsAnswer,
  operationAnswer,
  projectsAnswer,
} from "../../../../provider/platform/wire/answers";

/** Every example that the platform's own description has of what the provider reads, and how the provider reads it. */
const decoders: [method: string, path: string, status: string, schema: Parameters<typeof decode>[0]][] = [
  ["get", "/projects", "200", projectsAnswer],
  ["get", "/projects/{project_id}/branches", "200", branchesAnswer],
  ["get", "/projects/{project_id}/branches/{branch_id}", "200", branchAnswer],
  ["get", "/projects/{project_id}/branches/{branch_id}/endpoints", "200", endpointsAnswer],
  ["get", "/projects/{project_id}/endpoints", "200", endpointsAnswer],
  ["get", "/projects/{project_id}/endpoints/{endpoint_id}", "200", endpointAnswer],
  ["post", "/projects/{project_id}/endpoints", "201", changeAnswer],
  ["patch", "/projects/{project_id}/endpoints/{endpoint_id}", "200", changeAnswer],
  ["delete", "/projects/{project_id}/endpoints/{endpoint_id}", "200", deletionAnswer],
  ["post", "/projects/{project_id}/endpoints/{endpoint_id}/start", "200", changeAnswer],
  ["post", "/projects/{project_id}/endpoints/{endpoint_id}/suspend", "200", changeAnswer],
  ["post", "/projects/{project_id}/endpoints/{endpoint_id}/restart", "200", changeAnswer],
  ["get", "/projects/{project_id}/operations/{operation_id}", "200", operationAnswer],
];

describe("the provider reads the examples of the published description", () => {
  it.each(decoders)("%s %s (%s)", (method, path, status, schema) => {
    const response = description.paths[path]?.[method]?.responses?.[status];
    const example = response?.content?.["application/json"]?.example;
    expect(example).toBeDefined();
    expect(decode(schema, example)).toMatchObject({ ok: true });
  });
});
