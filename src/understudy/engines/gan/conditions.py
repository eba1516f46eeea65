"""Training by sampling: which level a row is asked to have, and rows that have it (Xu et al. 2019, 4.3).

All levels of all columns stand side by side in one line of places. A column is drawn evenly, a level by the
logarithm of its count, and then a row that has it: two searches in arrays that lie on the device. Rows are
found by one array that holds, column after column, the rows in the order of their codes.
"""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from understudy.engines.fields import Fields

__all__ = ["Conditions", "RowsByLevel"]


@final
class Conditions(nn.Module):
    """Draws places: of a column, evenly, and of its levels by their shares or by the log of their counts.

    >>> conditions = Conditions(Fields((), (0,), (2,)), rows=100.0)
    >>> conditions.onehot(torch.tensor([1])).tolist()
    [[0.0, 1.0]]
    """

    plain: Tensor
    even: Tensor
    starts: Tensor

    def __init__(self, fields: Fields, rows: float) -> None:
        nn.Module.__init__(self)
        self.total = fields.levels
        sizes = torch.tensor(fields.sizes, dtype=torch.int64)
        shares = [np.asarray(each, dtype=np.float64) for each in fields.shares]
        self.register_buffer("starts", sizes.cumsum(0) - sizes, persistent=False)
        # What is drawn by shares is needed to draw rows, and so is kept; the rest is for training alone.
        self.register_buffer("plain", _ends(shares))
        self.register_buffer("even", _ends([np.log1p(each * rows) for each in shares]), persistent=False)

    def draw(self, count: int, noise: torch.Generator, *, logs: bool = False) -> Tensor:
        """Return (count,) places; where there is no level at all, zeros that mean nothing."""
        if not self.total:
            return torch.zeros(count, dtype=torch.int64, device=noise.device)
        ends = self.even if logs else self.plain
        chance = torch.rand(count, generator=noise, device=noise.device)
        return torch.searchsorted(ends, chance, right=True).clamp_(max=self.total - 1)

    def chances(self) -> Tensor:
        """Return (total,): how often each place is drawn by shares."""
        return self.plain.diff(prepend=self.plain.new_zeros(1))

    def of(self, codes: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,): the place of each row's own code (b, m) in a column drawn evenly."""
        if not self.total:
            return torch.zeros(len(codes), dtype=torch.int64, device=codes.device)
        count = codes.shape[-1]
        chance = torch.rand(len(codes), generator=noise, device=codes.device)
        column = (chance * count).long().clamp_(max=count - 1)
        return codes.gather(-1, column[:, None])[:, 0] + self.starts[column]

    def onehot(self, places: Tensor) -> Tensor:
        """Return (b, total): 1 at each place."""
        flat = self.plain.new_zeros(len(places), self.total)
        return flat.scatter_(-1, places[:, None], 1.0) if self.total else flat


@final
class RowsByLevel:
    """Rows of a matrix, found by the level that they have; drawn with it they are (b, width + 1).

    The last coordinate is the place that was asked for. A level that no row has is never asked for.
    """

    def __init__(self, rows: Tensor, fields: Fields, conditions: Conditions, *, logs: bool) -> None:
        self._rows, self._total = rows, fields.levels
        codes = rows[:, list(fields.codes)].long() + conditions.starts.to(rows.device)
        self._order = codes.argsort(dim=0, stable=True).T.flatten()  # (m n,): as m columns, one by one
        counts = torch.zeros(fields.levels, dtype=torch.int64, device=rows.device)
        counts.scatter_add_(0, codes.flatten(), torch.ones_like(codes.flatten()))
        self._counts, self._starts = counts, counts.cumsum(0) - counts
        each = torch.split(counts.double(), list(fields.sizes))
        weights = [torch.log1p(part) if logs else part for part in each]
        self._ends = _ends([part.cpu().numpy() for part in weights]).to(rows.device)

    def __call__(self, count: int, noise: torch.Generator) -> Tensor:
        """Return so many rows, each with the place that it was drawn for."""
        chance = torch.rand(2, count, generator=noise, device=noise.device)
        if not self._total:
            places = torch.zeros(count, dtype=torch.int64, device=noise.device)
            found = (chance[1] * len(self._rows)).long().clamp_(max=len(self._rows) - 1)
        else:
            places = torch.searchsorted(self._ends, chance[0], right=True).clamp_(max=self._total - 1)
            counts = self._counts[places]
            within = torch.minimum((chance[1] * counts).long(), counts - 1)
            found = self._order[self._starts[places] + within]
        rows = self._rows.index_select(0, found)
        return torch.cat([rows, places[:, None].to(rows.dtype)], -1)


def _ends(weights: list[np.ndarray]) -> Tensor:
    """Return the end of each place's part of [0, 1]: columns have even parts, levels by their weight."""
    parts = [each / max(float(each.sum()), 1e-300) / len(weights) for each in weights]
    ends = np.cumsum(np.concatenate([np.zeros(0), *parts]))
    return torch.from_numpy(ends.astype(np.float32))
