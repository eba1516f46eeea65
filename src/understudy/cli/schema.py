"""understudy schema: what each column of a table is, to read and to correct."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli import options, screen
from understudy.cli.buying import Purchase, buy
from understudy.cli.cautions import caution_facts, of_cells, of_names
from understudy.cli.learning import Source, budget_of
from understudy.cli.outcome import figures, levels_facts, levels_tree, privacy_facts
from understudy.errors import InputError, ParameterError
from understudy.table.counted import counted

if TYPE_CHECKING:
    from understudy.privacy import Budget, Certificate
    from understudy.table.schema import Column, Schema

__all__ = ["schema"]

HEADERS = ("column", "kind", "type", "domain", "missing", "source")


Table = Annotated[str | None, typer.Argument(metavar="DATA", help="A file, or a database URL with ?table=.")]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the schema, values included.")
]
Declare = Annotated[
    bool, typer.Option("--declare", help="Mark everything declared: you state that it is public knowledge.")
]
JsonSchema = Annotated[bool, typer.Option("--json-schema", help="Print the JSON Schema of schema files.")]


def schema(
    data: Table = None,
    *,
    output: Output = None,
    declare: Declare = False,
    json_schema: JsonSchema = False,
    epsilon: options.Epsilon = None,
    delta: options.Delta = None,
    run: options.Run = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    missing: options.MissingTexts = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Show what each column is, or write it to a file to correct.

    With --epsilon nothing is looked up in the rows: bounds, levels and missing rates are bought.
    """
    from understudy.table.release import refuse_file
    from understudy.table.schema import Schema

    if json_schema:
        screen.show_json(Schema.model_json_schema())
        return
    if data is None:
        raise InputError("schema: DATA is missing; name a table, or ask for --json-schema.")
    source = Source(data, delimiter, encoding, missing or ())
    budget = budget_of(epsilon, delta)
    _refuse_contradictions(budget, run, declare=declare)
    if budget is not None:
        wish = Purchase(budget, run, output, force=force, progress=not as_json)
        _show_bought(data, *buy(source, wish), budget.delta, as_json=as_json)
        return
    if output is not None:
        refuse_file(output, sources=source.files(), force=force)
    table = source.read()
    found = Schema.infer(table)
    found = found.declare() if declare else found
    cautions = [*of_names(data, table.names), *of_cells(data, table, None)]
    if output is not None:
        found.save(output)
    _tell(found, output, cautions, as_json=as_json)


def _refuse_contradictions(budget: Budget | None, run: Path | None, *, declare: bool) -> None:
    if budget is None and run is not None:
        raise ParameterError("schema: --run keeps the ledger of a purchase; give --epsilon with it.")
    if budget is not None and declare:
        raise ParameterError("schema: --declare states what is public, and --epsilon buys it; say one.")


def _show_bought(
    data: str, found: Schema, certificate: Certificate, written: list[Path], delta: float, *, as_json: bool
) -> None:
    output = written[0] if written else None
    cautions = of_names(data, [column.name for column in found.columns])
    if as_json:
        told: dict[str, Any] = {
            "certificate": str(written[1]) if written else None,
            "status": certificate.status,
        }
        told |= {"warnings": cautions, **figures(certificate, delta), **levels_tree(found)}
        screen.show_json(_tree(found, output) | told)
        return
    _show(found, output)
    files = [("", str(path)) for path in written[1:]]
    facts = [*files, *levels_facts(found), *caution_facts(cautions), *privacy_facts(certificate, delta)]
    screen.show_facts(facts)


def _show(found: Schema, output: Path | None) -> None:
    if output is None:
        screen.show_table(HEADERS, [_row(column) for column in found.columns])
        print()
    else:
        screen.show_facts([("wrote", f"{output}: {counted(len(found.columns), 'column')}")])
    print(_advice(found))


def _tell(found: Schema, output: Path | None, cautions: list[str], *, as_json: bool) -> None:
    if as_json:
        screen.show_json(_tree(found, output) | {"warnings": cautions})
        return
    _show(found, output)
    if cautions:
        print()
        screen.show_facts(caution_facts(cautions))


def _tree(found: Schema, output: Path | None) -> dict[str, Any]:
    return {
        "output": None if output is None else str(output),
        "columns": [dict(zip(HEADERS, _row(column), strict=True)) for column in found.columns],
        "observed": len({name for name, _ in found.observed()}),
        "advice": _advice(found),
    }


def _row(column: Column) -> tuple[str, ...]:
    """Describe a column without a value of it: what is printed ends up in logs."""
    sources = sorted({source for _, source in column.sources()})
    rate = "" if column.missing is None else f"{column.missing.rate:.1%}" if column.missing.rate else "none"
    return (column.name, column.kind, column.type or "", _domain(column), rate, ", ".join(sources))


def _domain(column: Column) -> str:
    if column.levels is not None and column.kind != "constant":
        return counted(len(column.levels.values), "level")
    if column.bounds is not None:
        step = f", to the {column.resolution}" if isinstance(column.resolution, str) else ""
        step = f", step {column.resolution:g}" if isinstance(column.resolution, float) else step
        return f"low and high{step}"
    fixed = {
        "id": "made anew",
        "constant": "one value",
        "text": "refused",
        "all_missing": "nothing",
        "ignore": "left out",
    }
    return fixed.get(column.kind, "")


def _advice(found: Schema) -> str:
    columns = len({name for name, _ in found.observed()})
    bought = len([c for c in found.columns if any(source == "bought" for _, source in c.sources())])
    if bought:
        what = counted(bought, "column")
        return (
            f"Bounds, levels and missing rates of {what} are bought: noise was added to each.\n"
            "A private fit takes them as they are; what they cost is told below, and adds to its own price."
        )
    if not any(list(column.sources()) for column in found.columns):
        return "It holds names and kinds alone: there was no row, so no bounds, levels or missing rates."
    if not columns:
        return "Everything in it is declared: you state that it is public knowledge, whatever the rows say."
    what = counted(columns, "column")
    return (
        f"Bounds, levels and missing rates of {what} are observed: they come from the rows, and\n"
        "are as private as the rows are. Mark them declared where they are public knowledge."
    )
