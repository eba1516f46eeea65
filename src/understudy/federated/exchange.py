"""How messages get to sites and answers come back: all that differs between one process and many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import final

from understudy.errors import ParameterError
from understudy.federated.message import Message
from understudy.federated.site import Site

__all__ = ["Exchange", "InProcess"]


class Exchange(ABC):
    """A transport. It forwards bytes and keeps time; it neither reads messages nor decides anything."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The sites that can be asked."""

    @abstractmethod
    def ask(self, messages: Mapping[str, Message], deadline: float | None = None) -> dict[str, Message]:
        """Send each site its message and return the answers that came within so many seconds.

        A site that did not answer is left out; an answer that comes later is thrown away, and never handed
        out as that to another question.
        """


@final
class InProcess(Exchange):
    """Sites in this process, asked one after the other: the same numbers as far apart."""

    def __init__(self, sites: Sequence[Site]) -> None:
        self._sites = {site.name: site for site in sites}
        if len(self._sites) != len(sites) or not sites:
            raise ParameterError("InProcess: needs at least one site, and a name of its own for each.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all sites."""
        return tuple(sorted(self._sites))

    def ask(self, messages: Mapping[str, Message], deadline: float | None = None) -> dict[str, Message]:  # noqa: ARG002 - nobody is late here
        """Ask each site in turn."""
        return {name: self._sites[name].receive(message) for name, message in sorted(messages.items())}
