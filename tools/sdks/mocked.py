"""Runs a program with Pulumi's mocks: what it passes and reads has to be what the SDK has."""

import asyncio
import runpy
import sys

import pulumi

RESULTS = {"pgcompute:index:getBranch": {"id": "br-a", "projectId": "p-1", "primary": True}}


class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        assert args.typ == "pgcompute:index:Endpoint", args.typ
        return f"p-1/ep-{args.name}", {**args.inputs, "host": f"{args.name}.test", "maxConnections": 112}

    def call(self, args):
        return RESULTS[args.token]


asyncio.set_event_loop(asyncio.new_event_loop())
pulumi.runtime.set_mocks(Mocks(), project="shop")
pulumi.runtime.set_all_config({"shop:projectId": "p-1", "shop:branch": "dev"})


@pulumi.runtime.test
def run():
    runpy.run_path(sys.argv[1])


run()
