"""Options of `understudy federate`: the same word means the same thing at a server and at a site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Alpha",
    "Authority",
    "Budget",
    "By",
    "Certificate",
    "Days",
    "Deadline",
    "Delta",
    "Files",
    "Hosts",
    "Kept",
    "Key",
    "Keys",
    "LeastCohort",
    "Listen",
    "LocalSteps",
    "Method",
    "Name",
    "Output",
    "Patience",
    "PublicRows",
    "Rate",
    "Rounds",
    "RowsArePublic",
    "Schema",
    "Server",
    "Sites",
    "Strategy",
    "Terms",
    "WithoutBudget",
]  # fmt: skip

Output = Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the model goes.")]
Files = Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the files go.")]
Kept = Annotated[
    Path, typer.Option("--run", metavar="FOLDER", help="Ledger, keys and rounds: what was cut off goes on.")
]

# How sites train together
Method = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="One of findiff, nflow, tabddpm, tabdiff, tablediffusion, tabsyn, tldm, tvae, mst.",
    ),
]
Rounds = Annotated[int, typer.Option(metavar="R", help="How often sites are asked for an update.")]
LocalSteps = Annotated[int, typer.Option(metavar="G", help="Steps at a site in one round.")]
Strategy = Annotated[str, typer.Option(metavar="NAME", help="fedavg, fedprox, fedadam or fedyogi.")]
Rate = Annotated[float, typer.Option(metavar="Q", help="The chance that a row is in a step.")]
Terms = Annotated[
    list[str] | None,
    typer.Option(
        "--term",
        metavar="KEY=VALUE",
        help="Another term: clip, batch, weights, least_noise, least_answers, server_lr, pull; repeat.",
    ),
]
WithoutBudget = Annotated[
    bool, typer.Option("--without-budget", help="Train openly: what leaves a site is not private.")
]

# How one table becomes sites
Sites = Annotated[int, typer.Option(min=1, metavar="N", help="How many sites.")]
By = Annotated[str | None, typer.Option(metavar="COLUMN", help="Give each level of it to one site.")]
RowsArePublic = Annotated[
    bool, typer.Option("--public-rows", help="How many rows each site has is public: for batch=, weights=.")
]
Alpha = Annotated[float | None, typer.Option(metavar="A", help="With --by: Dirichlet shares of each level.")]

# The line
Listen = Annotated[str, typer.Option(metavar="HOST:PORT", help="Where sites come to.")]
Server = Annotated[str, typer.Option(metavar="HOST:PORT", help="Where the server listens.")]
Authority = Annotated[
    Path | None, typer.Option("--ca", metavar="FILE", help="The certificate of the authority.")
]
Certificate = Annotated[Path | None, typer.Option(metavar="FILE", help="The certificate of this server.")]
Key = Annotated[Path | None, typer.Option(metavar="FILE", help="The private key of this server or site.")]
Keys = Annotated[
    list[str] | None,
    typer.Option("--site", metavar="NAME=FILE", help="A site and its public key; may be repeated."),
]
Deadline = Annotated[float, typer.Option(metavar="SECONDS", help="How long sites have for an answer.")]
Patience = Annotated[float, typer.Option(metavar="SECONDS", help="How long to wait for the others to come.")]
Hosts = Annotated[
    list[str] | None, typer.Option("--host", metavar="HOST", help="A name or address of the server; repeat.")
]
Days = Annotated[int, typer.Option(min=1, max=3650, metavar="N", help="How long they are valid.")]

# A site
Name = Annotated[str | None, typer.Option(metavar="NAME", help="What it is called; DATA's name if left out.")]
Budget = Annotated[float | None, typer.Option(metavar="E", help="Epsilon for everything that leaves.")]
Delta = Annotated[
    float | None, typer.Option(metavar="D", help="The delta that belongs to --budget; 1e-9 if left out.")
]
PublicRows = Annotated[
    int | None, typer.Option("--rows", min=1, metavar="N", help="The number of rows, declared as public.")
]
LeastCohort = Annotated[int, typer.Option(min=1, metavar="K", help="With fewer sites it takes no part.")]
Schema = Annotated[Path, typer.Option(metavar="FILE", help="The schema that all sites have.")]
