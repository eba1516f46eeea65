"""A site in its own process that repeats what it hears: python far_site.py NAME ADDRESS FOLDER [CA KEY]."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from understudy.errors import LinkError
from understudy.federated.channel import Address, SiteChannel
from understudy.federated.flower_node import Node
from understudy.federated.flower_site import Visit, client_app
from understudy.federated.message import Message


class Echo:
    """Answers with what it heard; `slow` in the facts is how long that takes."""

    def __init__(self, name):
        self.name = name

    def receive(self, message):
        time.sleep(float(message.facts.get("slow", 0.0)))
        kind = "closed" if message.kind == "close" else "echo"
        return Message(kind, {**message.facts, "name": self.name}, message.arrays)


def main(name, address, folder, *keys):
    """Serve until the run is closed."""
    channel = SiteChannel(Address.parse(address), *(Path(key) for key in keys))
    visit = Visit(Echo(name), seconds=2.0)
    try:
        with Node(channel, Path(folder)) as node:
            print("up", flush=True)
            node.serve(client_app(lambda _: visit), visit.over)
    except LinkError as error:
        print(f"refused: {error}", flush=True)
        return 3
    print("over", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
