"""Check the structure of CSV bytes before anything parses them.

Readers that are kind to broken files shift cells into wrong columns. This scanner is
not kind: quotes must open at the start of a field and close at its end, every record
must have as many fields as the header, and line ends must be of one sort. It works on
blocks with numpy: the quotes counted so far say whether a byte stands inside quotes.

Lines are physical lines from 1, newlines inside quotes included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import CsvError, TooLarge
from understudy.table.counted import counted

__all__ = ["LONGEST_RECORD", "Part", "Structure", "scan", "separators"]

BLOCK = 2**20  # small enough that the masks of one block stay in the cache
LONGEST_RECORD = 2**29  # bytes; the parser holds a record in memory several times
QUOTE, LF, CR = 34, 10, 13

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Mask = NDArray[np.bool_]
Fault = tuple[int, str]


@final
@dataclass(frozen=True)
class Part:
    """The bytes from `start` to `end` of a CSV text, and how to read them.

    `fields` is the number of fields every record must have, None for a header that is
    still to be counted; `lone_cr` says that lines end with a carriage return only.
    """

    data: bytes | bytearray
    start: int
    end: int
    delimiter: int = ord(",")
    fields: int | None = None
    lone_cr: bool = False

    @property
    def line_end(self) -> int:
        """The byte that ends a line."""
        return CR if self.lone_cr else LF

    def line(self, offset: int) -> int:
        """Return the physical line of a byte offset."""
        return self.data.count(self.line_end, 0, offset) + 1


@final
@dataclass(frozen=True)
class Structure:
    """What the scan found: how many records, the longest one, and line ends inside quotes."""

    records: int
    longest: int
    quoted_line_ends: bool


def scan(part: Part) -> Structure:
    r"""Check every record of a part and refuse the first fault by its line.

    >>> scan(Part(b"1,2\n3,4\n", 0, 8, fields=2)).records
    2
    """
    state = _Scan(part)
    for low in range(part.start, part.end, BLOCK):
        state.block(low, min(low + BLOCK, part.end))
    return state.finish()


def separators(record: bytes | bytearray, delimiter: int) -> Places:
    """Return the offsets of the delimiters that stand outside quotes."""
    values = np.frombuffer(record, dtype=np.uint8)
    inside = np.bitwise_xor.accumulate((values == QUOTE).view(np.uint8))
    return np.flatnonzero((values == delimiter) & (inside == 0))


@final
class _Scan:
    """The state that passes from block to block."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.data: Bytes = np.frombuffer(part.data, dtype=np.uint8)
        self.inside = False  # quotes
        self.record = part.start  # offset of the record that is not finished yet
        self.separators = 0  # in that record
        self.records = 0
        self.longest = 0
        self.quoted_line_ends = False

    def block(self, low: int, high: int) -> None:
        """Scan data[low:high] and raise the earliest fault in it."""
        part = self.data[low:high]
        places = np.flatnonzero(_is_border(part, self.part.delimiter)) + low
        kinds = self.data[places]
        outside, fault = self._outside_quotes(places, kinds)
        places, kinds = self._drop_cr_of_crlf(places[outside], kinds[outside])
        faults = [f for f in (fault, _mixed_line_ends(self.part, places, kinds)) if f is not None]
        if not faults:
            self._count_fields(places, kinds)
            return
        place, what = min(faults)
        # A record that ends before the fault may be ragged, and then that is the first fault.
        self._count_fields(places[places < place], kinds[places < place])
        raise self._error(place, what)

    def finish(self) -> Structure:
        """Check the end of the data: no open quote, and a whole last record."""
        if self.inside:
            raise self._error(self.part.end, "a quote opens here and is never closed")
        if self.record < self.part.end:
            self._count_fields(np.array([self.part.end]), np.array([self.part.line_end], dtype=np.uint8))
        return Structure(self.records, self.longest, self.quoted_line_ends)

    def _outside_quotes(self, places: Places, kinds: Bytes) -> tuple[Mask, Fault | None]:
        is_quote = kinds == QUOTE
        if not is_quote.any():
            self.quoted_line_ends |= self.inside and bool((kinds != self.part.delimiter).any())
            return np.full(len(kinds), not self.inside), None
        after = np.bitwise_xor.accumulate(is_quote.view(np.uint8)) ^ np.uint8(self.inside)
        inside = (after ^ is_quote) == 1
        self.inside = bool(after[-1])
        self.quoted_line_ends |= bool((inside & ((kinds == LF) | (kinds == CR))).any())
        fault = self._misplaced_quote(places[is_quote & ~inside], places[is_quote & inside])
        return ~inside & ~is_quote, fault

    def _misplaced_quote(self, opening: Places, closing: Places) -> Fault | None:
        start, end, delimiter = self.part.start, self.part.end, self.part.delimiter
        before = _is_border(self.data[np.maximum(opening - 1, start)], delimiter) | (opening == start)
        after = _is_border(self.data[np.minimum(closing + 1, end - 1)], delimiter) | (closing == end - 1)
        faults = [
            (int(p), "a quote stands inside a field that does not start with one")
            for p in opening[~before][:1]
        ]
        faults += [(int(p), "text follows the closing quote of the field") for p in closing[~after][:1]]
        return min(faults, default=None)

    def _drop_cr_of_crlf(self, places: Places, kinds: Bytes) -> tuple[Places, Bytes]:
        is_cr = kinds == CR
        if self.part.lone_cr or not is_cr.any():
            return places, kinds
        following = self.data[np.minimum(places + 1, self.part.end - 1)]
        keep = ~(is_cr & (following == LF))
        return places[keep], kinds[keep]

    def _count_fields(self, places: Places, kinds: Bytes) -> None:
        ends_at = np.flatnonzero(kinds == self.part.line_end)
        if not len(ends_at):
            self.separators += len(places)
            return
        found = np.diff(ends_at, prepend=-1 - self.separators)
        ends = places[ends_at]
        starts = np.concatenate(([self.record], ends[:-1] + 1))
        _refuse_ragged(self.part, found, starts, ends)
        self.longest = max(self.longest, int((ends - starts).max()) + 1)
        self.records += len(ends)
        self.separators = len(places) - int(ends_at[-1]) - 1
        self.record = int(ends[-1]) + 1

    def _error(self, place: int, what: str) -> CsvError:
        commas = separators(self.part.data[self.record : place], self.part.delimiter)
        field = self.record + (int(commas[-1]) + 1 if len(commas) else 0)
        line, column, here = (
            self.part.line(field),
            len(commas) + 1,
            self.part.line(min(place, self.part.end - 1)),
        )
        where = f"line {line}, column {column}"
        until = f" (noticed on line {here})" if here != line else ""
        return CsvError(f"CSV: {where}: {what}{until}; correct that line.", line=line, column=column)


def _is_border(values: Bytes, delimiter: int) -> Mask:
    # A quote beside a quote is a doubled quote inside a quoted field, so it is a border too.
    border: Mask = (values == delimiter) | (values == LF) | (values == CR) | (values == QUOTE)
    return border


def _mixed_line_ends(part: Part, places: Places, kinds: Bytes) -> Fault | None:
    wrong = places[kinds == (LF if part.lone_cr else CR)]
    words = ("line feed", "carriage return") if part.lone_cr else ("carriage return", "line feed")
    what = "a {} stands outside quotes in a file whose lines end with a {}".format(*words)
    return (int(wrong[0]), what) if len(wrong) else None


def _refuse_ragged(part: Part, found: Places, starts: Places, ends: Places) -> None:
    if part.fields is None:
        return
    wrong = np.flatnonzero((found != part.fields) | (ends - starts >= LONGEST_RECORD))
    if not len(wrong):
        return
    start, end, fields = (int(values[wrong[0]]) for values in (starts, ends, found))
    line = part.line(start)
    if fields == part.fields:
        raise TooLarge(f"CSV: the record on line {line} is longer than {LONGEST_RECORD:,} bytes.")
    if part.data[start:end] in (b"", b"\r"):
        raise CsvError(
            f"CSV: line {line} is blank; the header has {counted(part.fields, 'field')}; remove it.",
            line=line,
        )
    message = (
        f"line {line} has {counted(fields, 'field')} where the header has {part.fields}; correct that line"
    )
    raise CsvError(f"CSV: {message}.", line=line)
