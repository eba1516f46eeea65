"""understudy account: what noise buys, what a budget means, and what two papers claim. No table is read."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from understudy.cli import options, screen
from understudy.errors import ParameterError

__all__ = ["app"]

app = typer.Typer(rich_markup_mode=None)

Delta = Annotated[float, typer.Option(metavar="D", help="The delta at which epsilon is told.")]
Noise = Annotated[float, typer.Option(metavar="Z", help="Noise, in multiples of the sensitivity.")]
Rate = Annotated[float | None, typer.Option(metavar="Q", help="The chance that a row is in a step.")]
Steps = Annotated[int | None, typer.Option(metavar="T", help="How many steps.")]
Batch = Annotated[int | None, typer.Option(metavar="B", help="The expected batch; with --rows and --epochs.")]
Epochs = Annotated[float | None, typer.Option(metavar="E", help="Epochs, with --batch and --rows.")]


@app.callback(invoke_without_command=True)
def start(context: typer.Context) -> None:
    """Price noise, convert budgets, check two papers.

    Each takes --json; none reads a table.
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("gaussian-synthesis")
def gaussian_synthesis(
    *,
    n: Annotated[int, typer.Option(metavar="N", help="Rows of the private table.")],
    rows: Annotated[
        int | None, typer.Option(metavar="M", help="Rows drawn; as many as N if left out.")
    ] = None,
    d: Annotated[int, typer.Option(metavar="D", help="Columns.")],
    sigma: Annotated[float, typer.Option(metavar="S", help="The least eigenvalue, or the ridge.")],
    alpha: Annotated[float, typer.Option(metavar="A", help="The Renyi order.")] = 4.0,
    delta: Delta = 1e-5,
    as_json: options.AsJson = False,
) -> None:
    """Price rows drawn from a normal law (paper 002).

    N(mean, covariance) of the private rows, with no noise added.

    unbounded: a row added or removed; bounded: a row replaced; ridge: N(mean, covariance + sigma I), which
    needs no condition on the table.
    """
    from understudy.privacy.paper_answers import sampling

    _show(sampling(n, n if rows is None else rows, d, sigma, alpha=alpha, delta=delta), as_json=as_json)


@app.command("gaussian")
def gaussian(
    *,
    noise: Noise,
    count: Annotated[int, typer.Option(metavar="K", help="How many such releases.")] = 1,
    delta: Delta = 1e-9,
    as_json: options.AsJson = False,
) -> None:
    """Price Gaussian noise."""
    from understudy.privacy import answers

    _show(answers.gaussian(noise, count, delta), as_json=as_json)


@app.command("steps")
def steps(
    *,
    noise: Noise,
    rate: Rate = None,
    steps: Steps = None,
    batch: Batch = None,
    rows: Annotated[int | None, typer.Option(metavar="N", help="Rows of the table.")] = None,
    epochs: Epochs = None,
    delta: Delta = 1e-9,
    as_json: options.AsJson = False,
) -> None:
    """Price noisy training, by three accountants.

    Say either --rate and --steps, or --batch, --rows and --epochs. The central limit is paper 000's formula:
    an approximation, and no bound.
    """
    from understudy.privacy import answers

    if rate is not None and steps is not None and batch is rows is epochs is None:
        asked = rate, steps
    elif rate is steps is None and batch is not None and rows is not None and epochs is not None:
        asked = answers.schedule(batch, rows, epochs)
    else:
        raise ParameterError("steps: say either --rate and --steps, or --batch, --rows and --epochs.")
    _show(answers.steps(noise, *asked, delta), as_json=as_json)


@app.command("calibrate")
def calibrate(
    *,
    epsilon: Annotated[float, typer.Option(metavar="E", help="The budget.")],
    delta: Delta = 1e-9,
    rate: Annotated[float, typer.Option(metavar="Q", help="The chance that a row is in a step.")] = 1.0,
    steps: Annotated[int, typer.Option(metavar="T", help="How many steps.")] = 1,
    as_json: options.AsJson = False,
) -> None:
    """Find the least noise for a budget."""
    from understudy.privacy import answers

    _show(answers.calibrated(epsilon, delta, rate, steps), as_json=as_json)


@app.command("convert")
def convert(
    *,
    epsilon: Annotated[float | None, typer.Option(metavar="E", help="Epsilon, at --delta.")] = None,
    mu: Annotated[float | None, typer.Option(metavar="M", help="Gaussian differential privacy.")] = None,
    separation: Annotated[float | None, typer.Option(metavar="S", help="Paper 000's separation.")] = None,
    rho: Annotated[float | None, typer.Option(metavar="R", help="Zero-concentrated privacy.")] = None,
    advantage: Annotated[float | None, typer.Option(metavar="A", help="An attacker's advantage.")] = None,
    delta: Delta = 1e-9,
    as_json: options.AsJson = False,
) -> None:
    """Turn one measure of privacy into the others.

    gaussian: exact for the Gaussian mechanism; any mechanism: all that follows from the measure alone.
    """
    from understudy.privacy import answers

    given = {"epsilon": epsilon, "mu": mu, "separation": separation, "rho": rho, "advantage": advantage}
    said = [(name, value) for name, value in given.items() if value is not None]
    if len(said) != 1:
        raise ParameterError(f"convert: give exactly one of --{', --'.join(given)}; got {len(said)}.")
    _show(answers.converted(*said[0], delta), as_json=as_json)


@app.command("paper-000")
def paper_000(
    *,
    sigma: Annotated[float, typer.Option(metavar="S", help="The noise of paper 000.")] = 0.2,
    separation: Annotated[float, typer.Option(metavar="S", help="The separation to stay within.")] = 0.1,
    batch: Annotated[int, typer.Option(metavar="B", help="Rows in a batch.")] = 1,
    rows: Annotated[
        int | None, typer.Option(metavar="N", help="Rows of the table; 70,000 at most there.")
    ] = None,
    delta: Delta = 1e-5,
    as_json: options.AsJson = False,
) -> None:
    """Say whether paper 000's noise is possible.

    By its own formula, for a noise and a separation.
    """
    from understudy.privacy.paper_answers import paper_000 as answer

    _show(answer(sigma, separation, batch=batch, rows=rows, delta=delta), as_json=as_json)


def _show(tree: dict[str, Any], *, as_json: bool) -> None:
    screen.show(_facts(tree), tree, as_json=as_json)


def _facts(tree: dict[str, Any], above: str = "") -> list[tuple[str, str]]:
    """Return the tree as lines: the words of the way to a number, and the number."""
    facts: list[tuple[str, str]] = []
    for key, value in tree.items():
        label = f"{above} {key}".strip().replace("_", " ")
        facts += _facts(value, label) if isinstance(value, dict) else [(label, _text(value))]
    return facts


def _text(value: object) -> str:
    if value is None:
        return "no bound"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (
        f"{value:.6g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
    )
