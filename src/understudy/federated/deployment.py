"""A federation between machines: the two jobs that a person starts, at the server and at each site."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import final

from flwr.app import Context
from flwr.serverapp import Grid

from understudy.errors import LinkError
from understudy.federated.channel import ServerChannel, SiteChannel
from understudy.federated.cohort import refuse_too_few
from understudy.federated.federation import Federation
from understudy.federated.flower_link import Link
from understudy.federated.flower_node import Node
from understudy.federated.flower_server import FlowerExchange, name_nodes, server_app
from understudy.federated.flower_site import Door, Visit, client_app
from understudy.federated.recipes import recipe_for
from understudy.federated.terms import Terms
from understudy.model.model import Model
from understudy.progress import Progress

__all__ = ["Hosting", "Outcome", "attend", "host"]


@final
@dataclass(frozen=True)
class Hosting:
    """How a server is run: its line, its folder, how many sites it has, and how long it waits for them.

    `deadline` is how many seconds sites have for an answer; `patience`, how many to appear at the beginning.
    """

    channel: ServerChannel
    folder: Path
    sites: int
    deadline: float = 600.0
    patience: float = 600.0


@final
@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of a federation: the model, and what there is to say about its sites."""

    model: Model
    federation: Federation


def host(hosting: Hosting, terms: Terms, progress: Progress | None = None) -> Outcome:
    """Run a federation over Flower and return its model.

    A server that was killed is started again with the same folder and terms: it goes on after the last round
    that was finished, and asks for the open one in the same words.
    """
    found: list[Outcome] = []
    refuse_too_few(terms, hosting.sites)  # nobody need wait to see that, or what `recipe_for` refuses
    recipe_for(terms, terms.rate)
    with Link(hosting.channel, hosting.folder) as link:
        nodes = link.register() if hosting.channel.sites else None

        def work(grid: Grid, _: Context) -> None:
            known = nodes or name_nodes(grid, hosting.sites, patience=hosting.patience)
            line = FlowerExchange(grid, known, alive=link.alive)
            line.wait(max(terms.least_answers, terms.least_cohort), hosting.patience)
            federation = Federation(
                line, terms, keep=hosting.folder / "rounds", deadline=hosting.deadline, progress=progress
            )
            found.append(Outcome(federation.fit(), federation))

        link.run(server_app(work))
    if not found:
        raise LinkError("server: the run ended without a model; see the log in its folder.")
    return found[0]


def attend(channel: SiteChannel, site: Door, folder: Path, *, patience: float = 600.0) -> None:
    """Answer a server until the run is closed; the site's own folder makes it safe to start again."""
    visit = Visit(site)
    with Node(channel, folder / "flower", patience=patience) as node:
        node.serve(client_app(lambda _: visit), visit.over)
