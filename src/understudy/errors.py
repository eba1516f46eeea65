"""Every error that understudy raises on purpose.

A message says who refuses, what was expected, what came, and what to try. It never
holds the value of a cell: a line number and a column are enough to find the place, and
an error text ends up in logs that are shared more freely than the table itself.
"""

from __future__ import annotations

__all__ = [
    "BudgetError",
    "CorruptModel",
    "CsvError",
    "EncodingError",
    "FrameError",
    "InputError",
    "LinkError",
    "MissingExtra",
    "NothingMatches",
    "ParameterError",
    "ReadError",
    "SchemaError",
    "SqlError",
    "TooFewRows",
    "TooLarge",
    "UnderstudyError",
    "VersionError",
    "WhereError",
    "WriteError",
]


class UnderstudyError(Exception):
    """Anything that understudy refuses or fails to do; `exit_code` is the command line's."""

    exit_code = 1


class InputError(UnderstudyError):
    """The caller gave something that cannot be used: a file, a frame, a flag, a number."""

    exit_code = 2


class ParameterError(InputError):
    """A setting is outside its declared range."""


class ReadError(InputError):
    """A file or a database could not be read as a table."""


class EncodingError(ReadError):
    """The bytes are not text in the stated encoding; the message gives the byte offset."""


class CsvError(ReadError):
    """A CSV file breaks the format; `line` and `column` (both from 1) say where."""

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class SqlError(ReadError):
    """A database refused, or the named table or query is not there."""


class FrameError(ReadError):
    """A data frame holds something that has no place in a table."""


class TooLarge(ReadError):
    """The input is larger than the stated cap; refused before memory runs out."""


class SchemaError(InputError):
    """A schema is malformed, or a table does not fit it."""


class TooFewRows(InputError):
    """The table has fewer rows than the method can learn from."""


class BudgetError(InputError):
    """A privacy budget is impossible, spent, or given to a recipe with no private form."""


class WhereError(InputError):
    """A `where` condition names an unknown column or level, or an empty range."""


class NothingMatches(WhereError):
    """No generated row satisfied the conditions within the stated number of tries."""


class WriteError(UnderstudyError):
    """The output could not be written; nothing half-written is left behind."""


class CorruptModel(InputError):
    """A model folder is incomplete, altered, or not a model at all."""


class VersionError(CorruptModel):
    """A file was written by a newer format than this version reads."""


class LinkError(UnderstudyError):
    """A server and a site cannot reach or do not trust each other; nothing has left the site."""


class MissingExtra(InputError):
    """An optional package is not installed; the message holds the line that installs it."""
