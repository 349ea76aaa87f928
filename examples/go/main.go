// A read-write endpoint and a read replica, by the SDK that `pulumi package add` generates.
package main

import (
	"github.com/pulumi-pgcompute/pulumi-pgcompute/sdk/go/pgcompute"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		cfg := config.New(ctx, "")
		projectID := cfg.Require("projectId")
		name := cfg.Require("branch")
		branch, err := pgcompute.GetBranch(ctx, &pgcompute.GetBranchArgs{ProjectId: projectID, Name: &name})
		if err != nil {
			return err
		}

		primary, err := pgcompute.NewEndpoint(ctx, "primary", &pgcompute.EndpointArgs{
			ProjectId:             pulumi.String(projectID),
			BranchId:              pulumi.String(branch.Id),
			AutoscalingLimitMinCu: pulumi.Float64(0.5),
			AutoscalingLimitMaxCu: pulumi.Float64(2),
			SuspendTimeoutSeconds: pulumi.Int(600),
		})
		if err != nil {
			return err
		}

		replica, err := pgcompute.NewEndpoint(ctx, "replica", &pgcompute.EndpointArgs{
			ProjectId: pulumi.String(projectID),
			BranchId:  pulumi.String(branch.Id),
			Type:      pgcompute.EndpointTypeReadOnly,
			SizeCu:    pulumi.Float64(0.5),
		}, pulumi.DependsOn([]pulumi.Resource{primary}))
		if err != nil {
			return err
		}

		largest, err := pgcompute.GetComputeSize(ctx, &pgcompute.GetComputeSizeArgs{Cu: 2})
		if err != nil {
			return err
		}

		ctx.Export("host", primary.Host)
		ctx.Export("replicaHost", replica.Host)
		ctx.Export("maxConnections", primary.MaxConnections)
		ctx.Export("memoryGb", pulumi.Float64(largest.MemoryGb))
		return nil
	})
}
