"""Tensors of a part of a model among those of the whole: each part's names begin with its own prefix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

__all__ = ["under"]


def under(prefix: str, tensors: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Return the tensors whose names begin with a prefix, by what follows it.

    >>> import numpy as np
    >>> list(under("codec.", {"codec.low": np.zeros(1), "rows": np.zeros(1)}))
    ['low']
    """
    return {name.removeprefix(prefix): part for name, part in tensors.items() if name.startswith(prefix)}
