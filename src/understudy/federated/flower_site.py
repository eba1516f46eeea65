"""A site as a Flower ClientApp: every message goes through the one door of the site."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, final

from flwr.app import Context, Message as FlowerMessage
from flwr.clientapp import ClientApp

from understudy.errors import UnderstudyError
from understudy.federated.flower_records import opened, packed
from understudy.federated.message import Message, refusal
from understudy.federated.reading import read_or_refuse

__all__ = ["NAME_ACTION", "Door", "Visit", "client_app"]

NAME_ACTION = "name"


class Door(Protocol):
    """What a site shows to the outside: a name, and answers."""

    @property
    def name(self) -> str:
        """What the site is called."""

    def receive(self, message: Message) -> Message:
        """Answer a message, or refuse it in words."""


@final
class Visit:
    """A site for the length of one run: over some seconds after it said that the run is closed.

    The seconds are for the SuperNode, which fetches the last answer and sends it on.
    """

    def __init__(self, site: Door, seconds: float = 10.0) -> None:
        self._site = site
        self._seconds = seconds
        self._closed: float | None = None

    @property
    def name(self) -> str:
        """What the site is called."""
        return self._site.name

    def receive(self, message: Message) -> Message:
        """Answer as the site does, and note when it has closed."""
        answer = self._site.receive(message)
        if answer.kind == "closed":
            self._closed = time.monotonic()
        return answer

    def over(self) -> bool:
        """Say whether the run is closed, and the last answer on its way."""
        return self._closed is not None and time.monotonic() > self._closed + self._seconds


def client_app(find: Callable[[Context], Door]) -> ClientApp:
    """Return the app of a site; `find` gives the site that a message is for.

    The app holds no private data and no state: both are the site's.
    """
    app = ClientApp()

    @app.query()
    def ask(message: FlowerMessage, context: Context) -> FlowerMessage:
        try:
            asked = read_or_refuse("message", lambda: opened(message.content))
            answer = find(context).receive(asked)
        except UnderstudyError as error:
            answer = refusal(str(error))
        return FlowerMessage(packed(answer), reply_to=message)

    @app.query(NAME_ACTION)
    def name(message: FlowerMessage, context: Context) -> FlowerMessage:
        return FlowerMessage(packed(Message("name", {"name": find(context).name})), reply_to=message)

    return app
