"""How messages get to sites and answers come back: all that differs between one process and many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
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
    """Sites in this process: the same numbers as far apart.

    With `stacked`, sites without a budget train side by side, each step one for all of them. If nothing is
    said they do so where it pays: on a device, as it is what waits for orders, and on processors where a loss
    has its derivatives written out (findiff's). Their numbers are those of one by one, up to the rounding of
    products. Under a budget sites train one after the other.
    """

    def __init__(self, sites: Sequence[Site], *, stacked: bool | None = None) -> None:
        self._stacked = stacked is not False and not any(site.private for site in sites)
        self._gladly = bool(stacked)
        self._sites = {site.name: site for site in sites}
        if len(self._sites) != len(sites) or not sites:
            raise ParameterError("InProcess: needs at least one site, and a name of its own for each.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all sites."""
        return tuple(sorted(self._sites))

    def ask(self, messages: Mapping[str, Message], deadline: float | None = None) -> dict[str, Message]:  # noqa: ARG002 - nobody is late here
        """Ask each site in turn, or all at once where they train side by side."""
        names = sorted(messages)
        training = {messages[name].kind for name in names} == {"train"}
        if not (self._stacked and training and len(names) > 1):
            return {name: self._sites[name].receive(messages[name]) for name in names}
        from understudy.engines.training.together import together

        jobs = [partial(self._sites[name].receive, messages[name]) for name in names]
        gladly = self._gladly or _has_device()
        return dict(zip(names, together(jobs, alike=True, gladly=gladly), strict=True))


def _has_device() -> bool:
    import torch

    return torch.cuda.is_available()
