"""Cells for methods of marginals: columns cut, counted, and merged where there are few rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.codec.bins import Bins
from understudy.engines.marginals.estimate import Measured
from understudy.engines.marginals.merging import merge_levels, merge_neighbours
from understudy.missing import is_missing
from understudy.model import noisy_margins
from understudy.model.binned import cell_of
from understudy.model.cells import Cells
from understudy.model.outlook import most_cells
from understudy.model.refining import is_few
from understudy.model.tables import ExactTables, NoisyTables
from understudy.privacy import Vault
from understudy.privacy.events import Event
from understudy.table.columns import level_counts
from understudy.table.schema import Schema

__all__ = ["ENOUGH", "bins_that_pay", "exact_tables", "fitting_cells", "noisy_tables"]

Floats = npt.NDArray[np.float64]
_Counted = tuple[Floats, npt.NDArray[Any] | None]  # rows in every cell, missing last, and the edges of bins

ENOUGH = 3.0  # deviations of a count's noise that a bin needs to stand by itself (McKenna et al. 2021)
LEVEL = 0.5  # of that is enough for a level: a row in a wrong one counts in full, in the next bin by a little
# Bins that pay in a table of two columns: so few at least, and so many for each cube root of rows over noise.
FEW_BINS, PER_ROOT = 8, 1.5


def exact_tables(vault: Vault, schema: Schema, *, fine: int, bins: int, per_cell: float = 0.0) -> ExactTables:
    """Open the vault and return its tables: quantities in `fine` bins, merged into `bins`.

    Into fewer, if a cell of two of them would hold fewer rows than `per_cell` on average.
    """
    columns = vault.open("the table of every column and of the chosen sets of columns")
    levels = level_counts(schema)
    counted = {
        name: _counted(values, None if name in levels else fine, levels.get(name, 0))
        for name, values in columns.items()
    }
    rows = max((len(values) for values in columns.values()), default=0)
    most = bins if not per_cell else max(2, min(bins, int(np.sqrt(rows / per_cell))))
    return ExactTables.of(fitting_cells(counted, least=1.0, bins=most), columns)


def noisy_tables(
    vault: Vault, schema: Schema, events: dict[str, Event], *, bins: int, pair_noise: float
) -> NoisyTables:
    """Buy every column's table and return the tables of merged cells.

    `pair_noise` is the deviation that counts of pairs are going to have. Cells with fewer rows than ENOUGH
    deviations of their own noise, or of that, are merged, levels with fewer than LEVEL of these; cells of a
    quantity into `bins` at most, and no more than pay beside the noise of pairs.
    """
    binned = noisy_margins.buy(vault, schema, events)
    if not binned.shares:
        return NoisyTables.of(vault, {}, (), 1.0, events)
    sigma = max(binned.noise.values())
    counted = {name: (each * binned.rows, binned.edges.get(name)) for name, each in binned.shares.items()}
    most = bins_that_pay(binned.rows, pair_noise, bins)
    cells = fitting_cells(counted, least=ENOUGH * max(sigma, pair_noise), bins=most)
    one_way = []
    for place, (name, each) in enumerate(cells.items()):
        merged_counts = np.bincount(each.merged, weights=counted[name][0]).astype(np.float64)
        # Shares were cleaned of noise together; per merged cell about so much of it is left. Of few whole
        # numbers, most that are merged hold nothing, and their noise is gone.
        few = each.edges is not None and is_few(each.edges)
        spread = 1.0 if few else float(np.sqrt(np.mean(np.bincount(each.merged))))
        one_way.append(Measured((place,), merged_counts, binned.noise[name] * spread))
    return NoisyTables.of(vault, cells, one_way, binned.rows, events)


def bins_that_pay(rows: float, sigma: float, bins: int) -> int:
    """Return how many bins a quantity should have in tables of two columns with noise of deviation `sigma`.

    A table's noise grows with its cells, what bins blur falls with their number: the best one is a low power
    of rows over noise. What lies inside a bin is drawn by the column's own finer shares, so few are enough.

    >>> bins_that_pay(2_000, 30.0, 32), bins_that_pay(1_000_000, 30.0, 1_000), bins_that_pay(2_000, 0.0, 32)
    (8, 48, 32)
    """
    if sigma <= 0:
        return bins
    return min(bins, max(FEW_BINS, round(PER_ROOT * float(np.cbrt(rows / sigma)))))


def fitting_cells(counted: dict[str, _Counted], *, least: float, bins: int) -> dict[str, Cells]:
    """Return merged cells of all columns; of columns so large that not all pairs would fit, fewer."""
    enough = {name: least if edges is not None else LEVEL * least for name, (_, edges) in counted.items()}
    merged = {name: _merged(counts, edges, enough[name], bins) for name, (counts, edges) in counted.items()}
    most = most_cells([int(places.max()) + 1 for places in merged.values()])
    found = {}
    for name, (counts, edges) in counted.items():
        places = merged[name]
        if places.max() >= most:
            fullest = _of_the_fullest(counts[:-1], most - 1) if edges is None else 0.0
            places = _merged(counts, edges, max(enough[name], fullest), min(bins, most - 1))
        found[name] = Cells.of(counts / max(counts.sum(), 1.0), places, edges)
    return found


def _of_the_fullest(counts: Floats, most: int) -> float:
    """Return what a level must hold so that fewer than `most` do: just more than the next one holds."""
    return float(np.nextafter(np.sort(counts)[::-1][min(most, len(counts)) - 1], np.inf))


def _counted(values: npt.NDArray[Any], fine: int | None, levels: int) -> _Counted:
    edges = None if fine is None else _edges(values, fine)
    size = levels if edges is None else len(edges) - 1
    codes = cell_of(values, edges)
    counts = np.bincount(np.where(codes < 0, size, codes), minlength=size + 1)
    return counts.astype(np.float64), edges


def _edges(values: npt.NDArray[Any], fine: int) -> npt.NDArray[Any]:
    present = values[~is_missing(values)]
    if len(present) == 0:
        return np.array([0, 1], dtype=values.dtype)
    edges = Bins.quantile(present, fine, can_be_missing=False).edges.copy()
    if edges.dtype.kind == "f":
        edges[-1] = np.nextafter(edges[-1], np.inf)  # the last value needs a bin that holds it
    return np.unique(edges)


def _merged(counts: Floats, edges: npt.NDArray[Any] | None, least: float, bins: int) -> npt.NDArray[np.int32]:
    """Return the merged cell of every cell; missing stands alone unless hardly any row is.

    Then the few rows without a value, or with a level that was not told, lie where rare levels lie, or most
    rows: they are drawn as what is there.
    """
    present = counts[:-1]
    places = merge_levels(present, least) if edges is None else merge_neighbours(present, least, bins)
    if counts[-1] >= least:
        return np.append(places, places.max() + 1).astype(np.int32)
    shared = np.bincount(places) > 1
    rare = int(places.max()) if edges is None and shared[-1] else int(places[np.argmax(present)])
    return np.append(places, rare).astype(np.int32)
