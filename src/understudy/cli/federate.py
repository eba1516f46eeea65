"""understudy federate: one model of rows that stay where they are."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from understudy.cli import federate_options as words, options, screen
from understudy.cli.federating import (
    Plan,
    called,
    keep,
    keys_of,
    refuse_file,
    refuse_odd_waits,
    show_federation,
    show_site,
    site_budget,
)
from understudy.cli.learning import Source, budget_of

if TYPE_CHECKING:
    from understudy.federated.deployment import Hosting
    from understudy.federated.federation import Federation
    from understudy.federated.site import Site
    from understudy.federated.terms import Terms
    from understudy.model.model import Model

__all__ = ["app"]

app = typer.Typer(rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def start(context: typer.Context) -> None:
    """Train one model where the rows are.

    simulate: all sites in this process. server, site: Flower between machines, with TLS and keys. Each takes
    --json.
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("simulate")
def simulate(
    data: options.Data,
    *,
    output: words.Output,
    sites: words.Sites = 5,
    by: words.By = None,
    alpha: words.Alpha = None,
    public_rows: words.RowsArePublic = False,
    method: words.Method = "findiff",
    rounds: words.Rounds = 10,
    local_steps: words.LocalSteps = 50,
    strategy: words.Strategy = "fedavg",
    rate: words.Rate = 0.1,
    epsilon: options.Epsilon = None,
    delta: options.Delta = None,
    schema: options.SchemaFile = None,
    settings: options.Settings = None,
    term: words.Terms = None,
    seed: options.LearnSeed = 0,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    missing: options.MissingTexts = None,
    as_json: options.AsJson = False,
) -> None:
    """Part one table into sites, and train them here.

    Every site has the budget for itself: a row lies at one of them. How the table is parted depends on its
    rows, so the certificate is conditional: it holds where rows lie at their sites whatever others there are.
    """
    from understudy.federated.simulation import Split
    from understudy.table.schema import Schema

    started, source = time.perf_counter(), Source(data, delimiter, encoding, missing or ())
    _refuse_taken(output, [*source.files(), *([schema] if schema else [])])
    budget = budget_of(epsilon, delta)
    given = _given(rounds, local_steps, strategy, rate, seed) | {"least_cohort": min(2, sites)}
    plan = Plan(method, settings or (), term or (), given | {"private": budget is not None})
    split, known = Split(sites, by, alpha, seed, public_rows), Schema.load(schema) if schema else None
    members = split.members(source.read(None if budget is None else known), known, budget)
    terms = plan.terms(members[0].schema)
    split.refuse_untold_rows(terms)
    federation, model = _trained(members, terms, output, as_json=as_json)
    seconds = time.perf_counter() - started
    show_federation(model, federation, output, seconds=seconds, delta=delta, as_json=as_json)


@app.command("server")
def server(
    *,
    schema: words.Schema,
    run: words.Kept,
    output: words.Output,
    listen: words.Listen = "127.0.0.1:8443",
    site: words.Keys = None,
    sites: words.Sites = 2,
    ca: words.Authority = None,
    certificate: words.Certificate = None,
    key: words.Key = None,
    method: words.Method = "findiff",
    rounds: words.Rounds = 10,
    local_steps: words.LocalSteps = 50,
    strategy: words.Strategy = "fedavg",
    rate: words.Rate = 0.1,
    without_budget: words.WithoutBudget = False,
    settings: options.Settings = None,
    term: words.Terms = None,
    deadline: words.Deadline = 600.0,
    patience: words.Patience = 600.0,
    seed: options.LearnSeed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Wait for sites, train with them, save the model.

    Off loopback --ca, --certificate, --key and a --site for each site are required. On loopback, without
    keys, --sites says how many will come.
    """
    _require("federate server")
    from understudy.federated.channel import Address, ServerChannel
    from understudy.federated.deployment import Hosting

    started = time.perf_counter()
    refuse_odd_waits(deadline, patience)
    refuse_file(run)
    channel = ServerChannel(Address.parse(listen), ca, certificate, key, keys_of(site))
    channel.check()
    count = len(channel.sites) or sites
    given = _given(rounds, local_steps, strategy, rate, seed) | {"least_cohort": min(2, count)}
    plan = Plan(method, settings or (), term or (), given | {"private": not without_budget})
    hosting = Hosting(channel, run, count, deadline, patience)
    _host(plan, schema, output, hosting, started=started, as_json=as_json)


@app.command("site")
def site(
    data: options.Data,
    *,
    server: words.Server,
    run: words.Kept,
    name: words.Name = None,
    budget: words.Budget = None,
    delta: words.Delta = None,
    without_budget: words.WithoutBudget = False,
    schema: options.SchemaFile = None,
    rows: words.PublicRows = None,
    least_cohort: words.LeastCohort = 2,
    ca: words.Authority = None,
    key: words.Key = None,
    patience: words.Patience = 600.0,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    missing: options.MissingTexts = None,
    as_json: options.AsJson = False,
) -> None:
    """Answer a server; rows stay here, and noise is added here.

    The server is met before the table is read, and the whole run is debited before its first step. Off
    loopback --ca and --key are required.
    """
    _require("federate site")
    from understudy.federated.channel import Address, SiteChannel
    from understudy.federated.deployment import attend
    from understudy.federated.site import Site
    from understudy.federated.terms import refuse_name
    from understudy.table.schema import Schema

    refuse_odd_waits(None, patience)
    refuse_file(run)
    refuse_name("--name", called(name, data))
    channel = SiteChannel(Address.parse(server), ca, key)
    channel.check()
    own = site_budget(budget, delta, without=without_budget)
    known = None if schema is None else Schema.load(schema)
    channel.meet(patience)  # no row is read for a server that is not to be trusted
    table = Source(data, delimiter, encoding, missing or ()).read(None if own is None else known)
    member = Site(
        called(name, data), table, own, schema=known, rows=rows, least_cohort=least_cohort, folder=run
    )
    attend(channel, member, run, patience=patience)
    show_site(member, keep(run / "certificate.json", member.certificate), delta=delta, as_json=as_json)


@app.command("certificate")
def certificate(
    *,
    output: words.Files,
    host: words.Hosts = None,
    days: words.Days = 365,
    as_json: options.AsJson = False,
) -> None:
    """Make an authority and a certificate for the server.

    127.0.0.1 and localhost are always named in it. Sites need ca.pem; ca.key belongs on no machine of the
    federation.
    """
    from understudy.federated.certificates import make_certificates

    hosts = list(dict.fromkeys([*(host or ()), "127.0.0.1", "localhost"]))
    _show_files(make_certificates(output, hosts, days=days), as_json=as_json)


@app.command("key")
def key(*, output: words.Files, as_json: options.AsJson = False) -> None:
    """Make the key of a site.

    Give site.pub to the server, and keep site.key.
    """
    from understudy.federated.certificates import make_site_key

    _show_files(make_site_key(output), as_json=as_json)


def _given(rounds: int, local_steps: int, strategy: str, rate: float, seed: int) -> dict[str, object]:
    return {
        "rounds": rounds, "local_steps": local_steps, "strategy": strategy, "rate": rate, "seed": seed,
    }  # fmt: skip


def _require(who: str) -> None:
    from understudy.federated.flower_extra import require_flower

    require_flower(who)


def _host(plan: Plan, schema: Path, output: Path, hosting: Hosting, *, started: float, as_json: bool) -> None:
    """Run the server, and save what comes of it."""
    from understudy.federated.deployment import host
    from understudy.progress import show
    from understudy.table.schema import Schema

    _refuse_taken(output, [schema])
    terms = plan.terms(Schema.load(schema))
    with show(not as_json) as progress:
        done = host(hosting, terms, progress)
    done.model.save(output)
    for name, own in done.federation.certificates.items():
        keep(hosting.folder / "certificates" / f"{name}.json", own)
    seconds = time.perf_counter() - started
    show_federation(done.model, done.federation, output, seconds=seconds, delta=None, as_json=as_json)


def _trained(
    members: Sequence[Site], terms: Terms, output: Path, *, as_json: bool
) -> tuple[Federation, Model]:
    """Train all sites in this process, and save the model."""
    from understudy.federated.federation import Federation
    from understudy.progress import show

    with show(not as_json) as progress:
        federation = Federation(members, terms, progress=progress)
        model = federation.fit()
    model.save(output)
    return federation, model


def _refuse_taken(output: Path, sources: Sequence[Path]) -> None:
    """Refuse a folder for the model that holds anything but a model."""
    from understudy.model.store import MANIFEST, PARTS
    from understudy.table.release import refuse_folder

    refuse_folder(output, (MANIFEST, *PARTS), sources=sources)


def _show_files(paths: list[Path], *, as_json: bool) -> None:
    facts = [("wrote", f"{path}{', for its owner alone' if path.suffix == '.key' else ''}") for path in paths]
    screen.show(facts, {"files": [str(path) for path in paths]}, as_json=as_json)
