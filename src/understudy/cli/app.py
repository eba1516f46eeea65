"""The commands, in the order in which a newcomer meets them."""

from __future__ import annotations

from typing import Annotated

import typer

from understudy.cli import (
    account,
    attacks,
    audit,
    demo,
    doctor,
    federate,
    fit,
    impute,
    methods,
    metrics,
    sample,
    schema,
    synthesize,
    verify,
)
from understudy.errors import InputError
from understudy.version import TOOL

__all__ = ["app"]

# Plain help: it needs no rich, which takes longer to load than all the rest.
app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(TOOL)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Make a table that can stand in for a sensitive one, and say what it reveals."""
    if context.invoked_subcommand is None and not version:
        print(context.get_help())


def _not_yet(context: typer.Context) -> None:
    """Say that this command is still to come."""
    raise InputError(f"{context.info_name}: not there yet; understudy --help lists the commands there are.")


app.command("demo")(demo.demo)
app.command("synthesize")(synthesize.synthesize)
app.command("fit")(fit.fit)
app.command("sample")(sample.sample)
app.command("impute")(impute.impute)
app.command("audit")(audit.audit)
app.command("schema")(schema.schema)
app.command("methods")(methods.methods)
app.command("metrics")(metrics.metrics)
app.command("attacks")(attacks.attacks)
app.add_typer(federate.app, name="federate")
app.add_typer(account.app, name="account")
app.command("verify")(verify.verify)
app.command("doctor")(doctor.doctor)
for name in ("tune", "bench"):
    anything = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(name, hidden=True, context_settings=anything)(_not_yet)
