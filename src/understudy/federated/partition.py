"""One table as several sites, for studies: at random, by a column, or by Dirichlet shares of a column.

Paper 003 gives each site the rows of some levels of one column (Figure 3): sites differ in what they hold and
in how much. A Dirichlet split (Hsu et al. 2019) has a dial: the smaller alpha, the more a level belongs to
few sites. Rows keep their order inside of a site, every row is at one site, and no site is empty.

Which site a row comes to depends on the rest of the table, at random too: one row less, and others may lie
elsewhere, whole levels of a column among them. So what a simulated federation costs holds under a condition
(`PARTED`), and not for every table. Each part carries it (`Table.condition`), so that the certificates of
whoever trains on parts say it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.errors import ParameterError
from understudy.rng import stream
from understudy.table.read import read
from understudy.table.table import Table

__all__ = ["PARTED", "by_column", "dirichlet", "iid"]

PARTED = (
    "one row more or less leaves all other rows at their sites: this is a simulation, one table was split "
    "into sites, and the split was looked up from its rows"
)

Places = npt.NDArray[np.int64]

_TRIES = 1_000
_EVEN = 1e12  # a larger alpha gives no more equal shares, and gamma numbers that overflow


def iid(table: object, sites: int, seed: int = 0) -> list[Table]:
    """Split rows at random into sites of equal size, up to one row.

    >>> [len(each) for each in iid(pa.table({"a": range(7)}), 3)]
    [3, 2, 2]
    """
    source = _splittable(table, sites)
    order = stream(seed, "partition", "iid").permutation(len(source))
    where = np.empty(len(source), np.int64)
    where[order] = np.arange(len(source)) % sites
    return _parts(source, where, sites)


def by_column(table: object, sites: int, column: str) -> list[Table]:
    """Give every level of a column to one site, the largest first, to whoever has least (003, Figure 3).

    With fewer levels than sites, the site with the most rows shares its level with one that has none.

    >>> parts = by_column(pa.table({"a": ["x", "x", "y", "z"]}), 2, "a")
    >>> [each.to_arrow()["a"].to_pylist() for each in parts]
    [['x', 'x'], ['y', 'z']]
    """
    source = _splittable(table, sites)
    codes = _codes(source, column)
    counts = np.bincount(codes)
    held, of_level = np.zeros(sites, np.int64), np.empty(len(counts), np.int64)
    for level in np.argsort(-counts, kind="stable"):
        of_level[level] = held.argmin()
        held[of_level[level]] += counts[level]
    where = of_level[codes]
    for empty in np.flatnonzero(held == 0):
        rows = np.flatnonzero(where == np.bincount(where, minlength=sites).argmax())
        where[rows[len(rows) // 2 :]] = empty
    return _parts(source, where, sites)


def dirichlet(table: object, sites: int, column: str, alpha: float = 0.5, seed: int = 0) -> list[Table]:
    """Draw for every level of a column what share of it each site has: Dirichlet(alpha, ..., alpha).

    >>> parts = dirichlet(pa.table({"a": ["x", "y"] * 50}), 3, "a", alpha=1.0)
    >>> sum(len(each) for each in parts), min(len(each) for each in parts) > 0
    (100, True)
    """
    if not 0 < alpha < np.inf:
        raise ParameterError(f"dirichlet: alpha must be a number > 0; got {alpha!r}.")
    source, alpha = _splittable(table, sites), min(float(alpha), _EVEN)
    codes, rng = _codes(source, column), stream(seed, "partition", "dirichlet")
    for _ in range(_TRIES):
        where = _drawn(codes, sites, alpha, rng)
        if len(np.unique(where)) == sites:
            return _parts(source, where, sites)
    raise ParameterError(
        f"dirichlet: with alpha {alpha:g} some of {sites} sites stay empty; take fewer, or a larger alpha."
    )


def _drawn(codes: Places, sites: int, alpha: float, rng: np.random.Generator) -> Places:
    where = np.empty(len(codes), np.int64)
    for level in range(int(codes.max()) + 1):
        rows = rng.permutation(np.flatnonzero(codes == level))
        ends = np.rint(np.cumsum(rng.dirichlet(np.full(sites, alpha))) * len(rows)).astype(np.int64)
        for site, part in enumerate(np.split(rows, ends[:-1])):
            where[part] = site
    return where


def _codes(source: Table, column: str) -> Places:
    arrow = source.to_arrow()
    if column not in arrow.schema.names:
        raise ParameterError(f"partition: the table has no column {column!r}.")
    held = arrow.column(column)
    kind = held.type.value_type if pa.types.is_dictionary(held.type) else held.type
    # Of Python's numbers Arrow makes signed ones, which do not reach as far.
    told = kind if pa.types.is_unsigned_integer(kind) else None
    coded = pa.array(held.to_pylist(), told).dictionary_encode()
    # In the order of their values as text, missing last: which row comes first does not decide.
    words = ["" if value is None else str(value) for value in coded.dictionary.to_pylist()]
    rank = np.argsort(np.argsort(np.array(words), kind="stable"), kind="stable")
    found = np.asarray(coded.indices.fill_null(len(words)))
    return np.asarray(np.append(rank, len(words))[found], np.int64)


def _splittable(table: object, sites: int) -> Table:
    source = read(table)
    if isinstance(sites, bool) or not isinstance(sites, int) or not 1 <= sites <= len(source):
        raise ParameterError(
            f"partition: sites must be a whole number from 1 to the number of rows; got {sites!r}."
        )
    return source


def _parts(source: Table, where: Places, sites: int) -> list[Table]:
    arrow, said = source.to_arrow(), source.condition
    if sites > 1 and PARTED not in said:  # with one site, rows lie there whatever they are
        said = f"{said}; {PARTED}" if said else PARTED
    places = (pa.array(np.flatnonzero(where == site)) for site in range(sites))
    return [Table(arrow.take(each), condition=said) for each in places]
