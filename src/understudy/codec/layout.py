"""Which coordinates of the matrix belong to which column, as index arrays.

A network that works on the whole width at once needs no loop over columns: it takes the
coordinates of all numbers, or the segment number of every coordinate, from here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError

__all__ = ["Layout", "Part", "Role", "Span"]

Role = Literal["number", "flag", "levels", "code", "modes"]
Places = npt.NDArray[np.int64]

_SEGMENTS = frozenset({"levels", "modes"})
_SINGLE = frozenset({"number", "flag", "code"})


class Part(NamedTuple):
    """What an encoder writes: a role, so many coordinates, and for a code how many codes there are."""

    role: Role
    size: int
    levels: int = 0


@final
@dataclass(frozen=True)
class Span:
    """The coordinates [start, stop) of one column in one role.

    number  one real number, of order 1
    flag    1 where the column is missing, else 0
    levels  one-hot: one coordinate for each level, group or bin, and one for missing
    code    the number of the level, group, bin or mode as it is; `levels` says how many there are
    modes   one-hot: which mode of a mixture the column's number is measured from; as a code it is a code
    """

    name: str
    start: int
    stop: int
    role: Role
    levels: int = 0

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return self.stop - self.start


@final
@dataclass(frozen=True)
class Layout:
    """Spans that tile [0, width) without a gap, and flat index arrays over them.

    >>> layout = Layout.of([("age", Part("number", 1)), ("sex", Part("levels", 2))])
    >>> layout.width, layout.numbers.tolist(), layout.segment.tolist()
    (3, [0], [-1, 0, 0])
    """

    spans: tuple[Span, ...]

    def __post_init__(self) -> None:
        end = 0
        for span in self.spans:
            _refuse_bad_span(span, end)
            end = span.stop
        if len({(span.name, span.role) for span in self.spans}) != len(self.spans):
            raise ParameterError("Layout: a column has two spans in one role; give each its own name.")

    @classmethod
    def of(cls, parts: Iterable[tuple[str, Part]]) -> Layout:
        """Put parts side by side, in order."""
        spans: list[Span] = []
        for name, part in parts:
            start = spans[-1].stop if spans else 0
            spans.append(Span(name, start, start + part.size, part.role, part.levels))
        return cls(tuple(spans))

    @property
    def width(self) -> int:
        """The number of coordinates."""
        return self.spans[-1].stop if self.spans else 0

    def span_of(self, name: str, role: Role | None = None) -> Span:
        """Return the span of a column in a role; without a role its first: number, levels or code."""
        for span in self.spans:
            if span.name == name and role in {None, span.role}:
                return span
        wanted = f"column {name!r}" if role is None else f"column {name!r} in the role {role}"
        raise ParameterError(f"Layout: there is no span for {wanted}.")

    @cached_property
    def numbers(self) -> Places:
        """The coordinates that are numbers."""
        return self._singles("number")

    @cached_property
    def flags(self) -> Places:
        """The coordinates that say whether a column is missing."""
        return self._singles("flag")

    @cached_property
    def codes(self) -> Places:
        """The coordinates that are codes; how many codes each takes is the `levels` of its span."""
        return self._singles("code")

    @cached_property
    def segment(self) -> Places:
        """For each coordinate, the number of the one-hot span it belongs to; -1 for none. Shape (width,)."""
        segment = np.full(self.width, -1, dtype=np.int64)
        inside = np.repeat(self.starts, self.sizes) + _counted(self.sizes)
        segment[inside] = np.repeat(np.arange(len(self.starts)), self.sizes)
        return _sealed(segment)

    @cached_property
    def starts(self) -> Places:
        """The first coordinate of each one-hot span."""
        return _sealed([span.start for span in self.spans if span.role in _SEGMENTS])

    @cached_property
    def sizes(self) -> Places:
        """The number of coordinates of each one-hot span."""
        return _sealed([span.size for span in self.spans if span.role in _SEGMENTS])

    def _singles(self, role: Role) -> Places:
        return _sealed([span.start for span in self.spans if span.role == role])


def _refuse_bad_span(span: Span, end: int) -> None:
    who = f"Layout: span {span.name!r}"
    if span.start != end:
        raise ParameterError(
            f"{who} must start at {end}; got {span.start}: spans leave no gap and never overlap."
        )
    if span.role not in _SINGLE | _SEGMENTS:
        raise ParameterError(f"{who}: there is no role {span.role!r}.")
    if span.size < 1 or (span.role in _SINGLE and span.size != 1):
        expected = "1" if span.role in _SINGLE else "1 or more"
        raise ParameterError(f"{who} of role {span.role} must have {expected} coordinates; got {span.size}.")
    if (span.role == "code") is not (span.levels > 0):
        raise ParameterError(
            f"{who}: a code, and nothing else, says how many levels it takes; got {span.levels}."
        )


def _counted(sizes: Places) -> Places:
    """Return 0, 1, ..., size - 1 for each size, joined."""
    before = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum()), dtype=np.int64) - np.repeat(before, sizes)


def _sealed(places: list[int] | Places) -> Places:
    array = np.asarray(places, dtype=np.int64)
    array.flags.writeable = False
    return array
