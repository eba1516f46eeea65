"""Sites of the speed benchmark, found again in each of Flower's processes; beside flower_simulation.py."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import understudy as us
from understudy.federated.site import Site


def kept(context):
    """Return the site of a virtual node, made once in a process: for one process that runs all nodes."""
    return _kept(int(context.node_config["partition-id"]))


def fresh(context):
    """Return the site of a virtual node, made anew from its folder: Flower's nodes have no state."""
    return _made(int(context.node_config["partition-id"]))


@cache
def _kept(number):
    return _made(number)


def _made(number):
    base = Path(os.environ["FEDERATED_SPEED"])
    schema = us.Schema.load(base / "schema.json")
    return Site(
        f"s{number}", us.read(str(base / f"{number}.arrow")), schema=schema, folder=base / f"run-{number}"
    )
