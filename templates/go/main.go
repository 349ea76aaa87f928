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

		// Takes reads and writes, and scales with its load between the two sizes, in compute units.
		primary, err := pgcompute.NewEndpoint(ctx, "primary", &pgcompute.EndpointArgs{
			ProjectId:             pulumi.String(projectID),
			BranchId:              pulumi.String(branch.Id),
			AutoscalingLimitMinCu: pulumi.Float64(0.25),
			AutoscalingLimitMaxCu: pulumi.Float64(1),
		})
		if err != nil {
			return err
		}

		// Serves reads of the same data at a size of its own.
		replica, err := pgcompute.NewEndpoint(ctx, "replica", &pgcompute.EndpointArgs{
			ProjectId: pulumi.String(projectID),
			BranchId:  pulumi.String(branch.Id),
			Type:      pgcompute.EndpointTypeReadOnly,
			SizeCu:    pulumi.Float64(0.25),
		}, pulumi.DependsOn([]pulumi.Resource{primary}))
		if err != nil {
			return err
		}

		ctx.Export("host", primary.Host)
		ctx.Export("replicaHost", replica.Host)
		return nil
	})
}
