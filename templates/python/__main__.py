import pulumi
import pulumi_pgcompute as pgcompute

config = pulumi.Config()
project_id = config.require("projectId")
branch_id = pgcompute.get_branch(project_id=project_id, name=config.require("branch")).id

# Takes reads and writes, and scales with its load between the two sizes, in compute units.
primary = pgcompute.Endpoint(
    "primary",
    project_id=project_id,
    branch_id=branch_id,
    autoscaling_limit_min_cu=0.25,
    autoscaling_limit_max_cu=1,
)

# Serves reads of the same data at a size of its own.
replica = pgcompute.Endpoint(
    "replica",
    project_id=project_id,
    branch_id=branch_id,
    type=pgcompute.EndpointType.READ_ONLY,
    size_cu=0.25,
    opts=pulumi.ResourceOptions(depends_on=[primary]),
)

pulumi.export("host", primary.host)
pulumi.export("replicaHost", replica.host)
