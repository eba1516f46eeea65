"""Which teacher a row belongs to: fixed once, each row by itself, so that it can change one teacher alone."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from understudy.errors import ParameterError

__all__ = ["RowsByPart", "homes_of"]


def homes_of(rows: npt.NDArray[np.float32], parts: int, key: bytes) -> npt.NDArray[np.int64]:
    """Return the part of each row: a keyed hash of the row and of how many equal rows stand before it.

    A row more or less, wherever it stands, moves no other row to another part: of equal rows there is one
    more or less, and it is the last of them whose part changes. So this holds whoever knows the key.

    >>> rows = np.array([[1.0], [2.0], [2.0], [3.0]], np.float32)
    >>> homes_of(rows, 5, b"key").tolist()[1:] == homes_of(rows[1:], 5, b"key").tolist()
    True
    """
    if parts < 1 or not key:
        raise ParameterError("homes_of: needs a part or more, and a key of a byte or more.")
    seen: Counter[bytes] = Counter()
    homes = np.empty(len(rows), np.int64)
    for place, row in enumerate(np.ascontiguousarray(rows, np.float32)):
        content = row.tobytes()
        told = content + seen[content].to_bytes(8, "big")
        seen[content] += 1
        homes[place] = int.from_bytes(hashlib.blake2b(told, key=key, digest_size=8).digest(), "big") % parts
    return homes


@final
class RowsByPart:
    """Rows of a matrix, drawn for each part from its own: (parts b, width + 1), one part after the other.

    The last coordinate is 1, or 0 for what stands where a part has no row. Shapes and draws are the same
    whatever the rows are, and within a part rows stand in the order of their bits, not in that of the table,
    where a row that is gone moves all equal ones behind it. So what is drawn for one part depends on which
    rows it has, and on nothing else.
    """

    def __init__(self, rows: Tensor, homes: npt.NDArray[np.int64], parts: int) -> None:
        bits = rows.cpu().numpy().astype(np.float32).view(np.uint32)
        order = torch.from_numpy(np.lexsort((*bits.T, homes))).to(rows.device)
        marked = torch.cat([rows.index_select(0, order), rows.new_ones(len(rows), 1)], -1)
        self._rows = torch.cat([marked, marked.new_zeros(1, marked.shape[1])])  # the last is no row
        counts = torch.from_numpy(np.bincount(homes, minlength=parts)).to(rows.device)
        self._counts, self._starts = counts[:, None], (counts.cumsum(0) - counts)[:, None]

    def __call__(self, count: int, noise: torch.Generator) -> Tensor:
        """Return so many rows of each part, each drawn by itself."""
        chance = torch.rand(len(self._counts), count, generator=noise, device=noise.device)
        within = torch.minimum((chance * self._counts).long(), self._counts - 1)
        place = torch.where(self._counts > 0, self._starts + within, len(self._rows) - 1)
        return self._rows.index_select(0, place.flatten())
