/** Examples of the resource for the package schema, in the registry's and the SDK documentation's form. */
export const endpointExamples = `{{% examples %}}
## Example Usage
{{% example %}}
### A read-write endpoint that scales between 1 and 4 CU, on the branch named dev

\`\`\`yaml
variables:
  dev:
    fn::invoke:
      function: pgcompute:index:getBranch
      arguments:
        projectId: quiet-lake-12345678
        name: dev
resources:
  primary:
    type: pgcompute:index:Endpoint
    properties:
      projectId: quiet-lake-12345678
      branchId: \${dev.id}
      autoscalingLimitMinCu: 1
      autoscalingLimitMaxCu: 4
      suspendTimeoutSeconds: 600
outputs:
  host: \${primary.host}
\`\`\`

\`\`\`typescript
import * as pgcompute from "@pulumi/pgcompute";

const projectId = "quiet-lake-12345678";
const dev = pgcompute.getBranchOutput({ projectId, name: "dev" });
const primary = new pgcompute.Endpoint("primary", {
    projectId,
    branchId: dev.id,
    autoscalingLimitMinCu: 1,
    autoscalingLimitMaxCu: 4,
    suspendTimeoutSeconds: 600,
});
export const host = primary.host;
\`\`\`

\`\`\`python
import pulumi
import pulumi_pgcompute as pgcompute

project_id = "quiet-lake-12345678"
dev = pgcompute.get_branch(project_id=project_id, name="dev")
primary = pgcompute.Endpoint("primary",
    project_id=project_id,
    branch_id=dev.id,
    autoscaling_limit_min_cu=1,
    autoscaling_limit_max_cu=4,
    suspend_timeout_seconds=600)
pulumi.export("host", primary.host)
\`\`\`
{{% /example %}}
{{% /examples %}}

## Import

\`\`\`sh
pulumi import pgcompute:index:Endpoint primary quiet-lake-12345678/ep-cool-rain-87654321
\`\`\`
`;

/** Examples of the fleet, in the same form. */
export const fleetExamples = `{{% examples %}}
## Example Usage
{{% example %}}
### An endpoint for each open pull request

\`\`\`yaml
resources:
  previews:
    type: pgcompute:index:EndpointFleet
    properties:
      projectId: quiet-lake-12345678
      defaults:
        sizeCu: 0.25
        suspendTimeoutSeconds: 300
      endpoints:
        pr-101:
          branchId: br-cold-night-12345678
        pr-102:
          branchId: br-warm-day-87654321
          sizeCu: 1
outputs:
  hosts: \${previews.endpoints}
\`\`\`

\`\`\`typescript
import * as pgcompute from "@pulumi/pgcompute";

const previews = new pgcompute.EndpointFleet("previews", {
    projectId: "quiet-lake-12345678",
    defaults: { sizeCu: 0.25, suspendTimeoutSeconds: 300 },
    endpoints: {
        "pr-101": { branchId: "br-cold-night-12345678" },
        "pr-102": { branchId: "br-warm-day-87654321", sizeCu: 1 },
    },
});
export const host = previews.endpoints.apply((all) => all["pr-101"].host);
\`\`\`

\`\`\`python
import pulumi
import pulumi_pgcompute as pgcompute

previews = pgcompute.EndpointFleet("previews",
    project_id="quiet-lake-12345678",
    defaults={"size_cu": 0.25, "suspend_timeout_seconds": 300},
    endpoints={
        "pr-101": {"branch_id": "br-cold-night-12345678"},
        "pr-102": {"branch_id": "br-warm-day-87654321", "size_cu": 1},
    })
pulumi.export("host", previews.endpoints["pr-101"].host)
\`\`\`
{{% /example %}}
{{% /examples %}}

## Import

All endpoints of a project, some of them, or some under keys of your own:

\`\`\`sh
pulumi import pgcompute:index:EndpointFleet previews quiet-lake-12345678
pulumi import pgcompute:index:EndpointFleet previews quiet-lake-12345678/ep-cool-rain-87654321,ep-warm-sun-12345678
pulumi import pgcompute:index:EndpointFleet previews quiet-lake-12345678/pr-101=ep-cool-rain-87654321
\`\`\`
`;
