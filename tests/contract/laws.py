"""The law of a table's columns given another, as shares of cells, and how far a sample may be off."""

import numpy as np
import pyarrow as pa

# One false alarm in a million for every law that is looked at, whatever the law is.
ALARM = 1e-6
DRAWN = 4_000


def cells_of(table, real):
    """Return the cell of every value: a level or count by itself, a quantity by thirds of the real, a gap."""
    found = {}
    for name in real.column_names:
        values = [v.as_py() for v in table[name]]
        if pa.types.is_floating(real[name].type):
            ends = np.nanquantile(real[name].to_numpy(), [1 / 3, 2 / 3])
            found[name] = ["missing" if v is None else int(np.searchsorted(ends, v)) for v in values]
        else:
            found[name] = values
    return found


def given(table, where):
    """Return the rows of a table that keep a condition: a value, a range, or None for a gap."""
    kept = np.ones(table.num_rows, bool)
    for name, wanted in where.items():
        values = table[name].to_pylist()
        kept &= [_keeps(value, wanted) for value in values]
    return table.filter(pa.array(kept))


def distance(one, other):
    """Return the total variation of two lists of cells."""
    names = set(one) | set(other)
    shares = [np.array([cells.count(name) for name in names]) / len(cells) for cells in (one, other)]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def slack(cells, drawn):
    """Return what chance alone adds to a total variation: its mean, and a rest that ALARM is the chance of.

    A cell's share is off by sqrt(p (1 - p) / n) on average at most; one row moves a total variation by 1 / n
    at most, so that the rest is by McDiarmid's inequality.
    """
    shares = np.array([cells.count(name) for name in set(cells)]) / len(cells)
    mean = np.sqrt(shares * (1 - shares) / drawn).sum() / 2
    return float(mean + np.sqrt(np.log(1 / ALARM) / (2 * drawn)))


def strays(real, drawn, where, allowed):
    """Return what is wrong with rows drawn under a condition: cells that break it, and other laws."""
    whole, kept = cells_of(drawn, real), cells_of(given(real, where), real)
    found = [] if given(drawn, where).num_rows == drawn.num_rows else ["a row breaks the condition"]
    others = [name for name in real.column_names if name not in where]
    far = {name: distance(kept[name], whole[name]) for name in others}
    most = {name: allowed + slack(kept[name], drawn.num_rows) for name in others}
    return found + [
        f"{name} is {far[name]:.3f} from its law given {where}" for name in others if far[name] > most[name]
    ]


def _keeps(value, wanted):
    if isinstance(wanted, tuple):
        return value is not None and wanted[0] <= value <= wanted[1]
    return value == wanted
