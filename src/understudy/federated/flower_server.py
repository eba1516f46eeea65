"""A server as a Flower ServerApp: questions go out over a Grid, answers come back until the deadline.

What comes later is thrown away: an answer is only ever looked for under the number of the question that is
open, and Flower itself drops a message whose time is over. A site that is cut off and comes back in time gets
the same question again, byte by byte, and gives the answer that it kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import final

from flwr.app import Context, Message as FlowerMessage, RecordDict
from flwr.serverapp import Grid, ServerApp

from understudy.errors import InputError, LinkError
from understudy.federated.exchange import Exchange
from understudy.federated.flower_records import opened, packed
from understudy.federated.flower_site import NAME_ACTION
from understudy.federated.message import MOST_BYTES, Message, refusal
from understudy.federated.reading import read_or_refuse
from understudy.federated.terms import refuse_name

__all__ = ["FlowerExchange", "name_nodes", "server_app"]

_QUERY = "query"
_FOREVER = 7 * 24 * 3600.0  # seconds that a question without a deadline is good for


@final
class FlowerExchange(Exchange):
    """Sites behind a Grid, by name; `alive` says whether the SuperLink is there to be waited for."""

    def __init__(
        self,
        grid: Grid,
        nodes: Mapping[str, int],
        *,
        most: int = MOST_BYTES,
        pause: float = 0.25,
        alive: Callable[[], bool] = lambda: True,
    ) -> None:
        self._grid = grid
        self._nodes = dict(nodes)
        self._most = most
        self._pause = pause
        self._alive = alive

    @property
    def names(self) -> tuple[str, ...]:
        """The sites, by name."""
        return tuple(sorted(self._nodes))

    def wait(self, least: int, patience: float) -> tuple[str, ...]:
        """Wait so many seconds for all sites; return those that came, and refuse with fewer than `least`."""
        until = time.monotonic() + patience
        while len(there := self._online()) < len(self._nodes) and time.monotonic() < until:
            self._rest()
        if len(there) < least:
            raise LinkError(
                f"server: at least {least} sites were expected within {patience:g} s; {len(there)} came. "
                "Look at the logs of the others."
            )
        return there

    def ask(self, messages: Mapping[str, Message], deadline: float | None = None) -> dict[str, Message]:
        """Ask each site its question; return what came back in time, and leave out the rest."""
        length = _FOREVER if deadline is None else deadline
        until = time.monotonic() + length
        bodies = {name: packed(message) for name, message in messages.items()}
        answers: dict[str, Message] = {}
        asked: dict[str, str] = {}
        while len(answers) < len(messages):
            left = until - time.monotonic()
            if left <= 0:
                break
            waiting = set(messages) - set(answers) - set(asked.values())
            asked |= self._send({name: bodies[name] for name in self._online() if name in waiting}, left)
            for reply in self._replies(asked):
                name = asked.pop(reply.metadata.reply_to_message_id)
                if reply.has_content() and reply.metadata.src_node_id == self._nodes[name]:
                    answers[name] = self._read(reply)
            if len(answers) < len(messages):
                self._rest()
        return answers

    def _online(self) -> tuple[str, ...]:
        online = set(self._grid.get_node_ids())
        return tuple(name for name in self.names if self._nodes[name] in online)

    def _send(self, bodies: Mapping[str, RecordDict], ttl: float) -> dict[str, str]:
        """Send questions, and return the name behind each number."""
        sent: dict[str, str] = {}
        for name, body in bodies.items():
            # One by one: a hundred sites must not meet a limit on the length of a single request.
            (number,) = self._grid.push_messages([FlowerMessage(body, self._nodes[name], _QUERY, ttl=ttl)])
            if number:
                sent[number] = name
        return sent

    def _replies(self, asked: Mapping[str, str]) -> Iterable[FlowerMessage]:
        found = self._grid.pull_messages(list(asked)) if asked else ()
        return [reply for reply in found if reply.metadata.reply_to_message_id in asked]

    def _read(self, reply: FlowerMessage) -> Message:
        try:
            return read_or_refuse("answer", lambda: opened(reply.content, self._most))
        except InputError as error:
            return refusal(str(error))

    def _rest(self) -> None:
        if not self._alive():
            raise LinkError(
                "server: the SuperLink has ended; start the server again, it goes on from its folder."
            )
        time.sleep(self._pause)


def name_nodes(grid: Grid, count: int, *, patience: float, pause: float = 0.25) -> dict[str, int]:
    """Return the nodes by the names they give themselves: for loopback, where nobody has a key."""
    until = time.monotonic() + patience
    while len(nodes := sorted(grid.get_node_ids())) < count:
        if time.monotonic() > until:
            raise LinkError(f"server: {count} sites were expected within {patience:g} s; {len(nodes)} came.")
        time.sleep(pause)
    replies = grid.send_and_receive(
        [FlowerMessage(RecordDict(), node, f"{_QUERY}.{NAME_ACTION}") for node in nodes], timeout=patience
    )
    told = {
        str(opened(reply.content).fact("name", str)): reply.metadata.src_node_id
        for reply in replies
        if reply.has_content()
    }
    for name in told:
        refuse_name("server: what a site calls itself", name)
    if len(told) < count:
        raise LinkError(f"server: {count} sites must have names of their own; {len(told)} names were told.")
    return told


def server_app(work: Callable[[Grid, Context], None]) -> ServerApp:
    """Return the app of a server that does this work."""
    app = ServerApp()

    @app.main()
    def main(grid: Grid, context: Context) -> None:
        work(grid, context)

    return app
