"""What an audit is asked: the real tables, the candidates, and how closely to look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast, final, get_args

from understudy.errors import InputError, ParameterError
from understudy.measuring.measure import Level
from understudy.model.recipe import Recipe
from understudy.privacy.certificate import Certificate
from understudy.privacy.not_given import is_not_given
from understudy.study.policy import Policy
from understudy.table.reading import Reading
from understudy.table.release import certificate_path, file_digest
from understudy.table.schema import Schema
from understudy.table.table import Table

__all__ = ["Given", "Real", "Request", "distinct", "givens", "level_of", "name_of", "recipe_of"]


@final
@dataclass(frozen=True)
class Real:
    """The real tables by their roles."""

    train: Table
    holdout: Table | None = None
    reference: Table | None = None


@final
@dataclass(frozen=True)
class Request:
    """How closely to look, by which policy, and with what."""

    level: Level
    seed: int
    policy: Policy
    recipe: Recipe | None = None
    schema: Schema | None = None
    target: str | None = None
    workers: int | None = None
    progress: bool = True
    folder: Path | None = None


@final
@dataclass(frozen=True)
class Given:
    """A candidate: its name, its rows, its certificate, and whether that one covers it.

    `digest` is the SHA-256 of its file, empty where there is none. `table` is None where
    there is no stand-in yet, and the recipe alone is judged.
    """

    name: str
    table: Table | None
    digest: str = ""
    certificate: Certificate | None = None
    covered: bool | None = None


def givens(synthetic: object, certificate: object, reading: Reading | None = None) -> list[Given]:
    """Return the candidates: one table, or a list of them, each with its certificate if there is one."""
    reading = Reading() if reading is None else reading
    tables = list(synthetic) if isinstance(synthetic, list | tuple) else [synthetic]
    papers = list(certificate) if isinstance(certificate, list | tuple) else [certificate]
    if len(papers) == 1 and papers[0] is None:
        papers = [None] * len(tables)
    if not tables or len(papers) != len(tables):
        raise InputError(
            f"audit: got {len(tables)} synthetic tables and {len(papers)} certificates; give each its own."
        )
    names = distinct([name_of(table, "synthetic") for table in tables])
    return [_given(*each, reading) for each in zip(names, tables, papers, strict=True)]


def level_of(text: str) -> Level:
    """Return a level, or say which there are."""
    if text not in get_args(Level):
        raise ParameterError(f"audit: level must be one of {', '.join(get_args(Level))}; got {text!r}.")
    return cast("Level", text)


def recipe_of(given: object) -> Recipe | None:
    """Return a recipe: one as it is, or that of a name with its default settings."""
    if given is None or isinstance(given, Recipe):
        return given
    if isinstance(given, str):
        from understudy import synth

        return synth.get(given)()
    raise ParameterError(
        f"audit: recipe must be a recipe or the name of one, such as 'mst'; got {type(given).__name__}."
    )


def name_of(source: object, otherwise: str) -> str:
    """Return the file name of a source; a frame, or a URL that may hold a password, has none.

    >>> name_of("data/people.csv", "train"), name_of("postgresql://me:secret@host/db?table=a", "train")
    ('people.csv', 'train')
    """
    if isinstance(source, str | Path) and "://" not in str(source):
        return Path(source).name or otherwise
    return otherwise


def _given(name: str, source: object, paper: object, reading: Reading) -> Given:
    if source is None:
        return Given("recipe", None, "", _certificate(paper))
    table = reading.stand_in(source)
    path = Path(source) if isinstance(source, str | Path) and Path(source).is_file() else None
    digest = file_digest(path) if path is not None else ""
    if paper is None and path is not None and certificate_path(path).is_file():
        paper = certificate_path(path)
    certificate = _certificate(paper)
    covered = None
    if certificate is not None and certificate.artefacts and path is not None:
        covered = digest in certificate.artefacts.values()
    return Given(name, table, digest, certificate, covered)


def _certificate(given: object) -> Certificate | None:
    """Return the certificate; none where an audit wrote down that it was given none."""
    found = _read(given)
    return None if found is not None and is_not_given(found) else found


def _read(given: object) -> Certificate | None:
    if given is None or isinstance(given, Certificate):
        return given
    if not isinstance(given, str | Path):
        raise InputError(f"audit: certificate must be a Certificate or its file; got {type(given).__name__}.")
    try:
        return Certificate.from_json(Path(given).read_bytes())
    except OSError as error:
        raise InputError(f"audit: cannot read {str(given)!r} ({error.strerror}).") from None


def distinct(names: Sequence[str]) -> list[str]:
    """Return names of which no two are equal: a second one is given a number.

    >>> distinct(["a.csv", "a.csv", "b.csv"])
    ['a.csv', 'a.csv (2)', 'b.csv']
    """
    return [
        name if names[:place].count(name) == 0 else f"{name} ({names[:place].count(name) + 1})"
        for place, name in enumerate(names)
    ]
