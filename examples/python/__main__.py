"""A read-write endpoint and a read replica, by the SDK that `pulumi package add` generates."""

import pulumi
import pulumi_pgcompute as pgcompute

config = pulumi.Config()
project_id = config.require("projectId")
# Without a name it is the project's primary branch.
branch_id = pgcompute.get_branch(project_id=project_id, name=config.get("branch")).id

primary = pgcompute.Endpoint(
    "primary",
    project_id=project_id,
    branch_id=branch_id,
    autoscaling_limit_min_cu=0.5,
    autoscaling_limit_max_cu=2,
    suspend_timeout_seconds=600,
)

replica = pgcompute.Endpoint(
    "replica",
    project_id=project_id,
    branch_id=branch_id,
    type=pgcompute.EndpointType.READ_ONLY,
    size_cu=0.5,
    opts=pulumi.ResourceOptions(depends_on=[primary]),
)

pulumi.export("host", primary.host)
pulumi.export("replicaHost", replica.host)
pulumi.export("maxConnections", primary.max_connections)
pulumi.export("memoryGb", pgcompute.get_compute_size(cu=2).memory_gb)
