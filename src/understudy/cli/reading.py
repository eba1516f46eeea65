"""What the options of CSV files come to: how tables are read, and the same said again for a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from understudy.errors import CsvError, EncodingError, InputError

if TYPE_CHECKING:
    from understudy.table.reading import Reading

__all__ = ["csv_flags", "csv_words", "in_a_shell", "named_source", "reading_of", "separator"]


def separator(delimiter: str | None) -> str | None:
    r"""Return the character that is meant: a shell has no easy way to type a tab.

    >>> separator("\\t"), separator(";")
    ('\t', ';')
    """
    return "\t" if delimiter == "\\t" else delimiter


def reading_of(
    command: str,
    sources: Sequence[str | None],
    delimiter: str | None,
    encoding: str | None,
    missing: Sequence[str] | None,
) -> Reading:
    """Return how the private tables are read; refuse options for CSV files where none of them is one."""
    from understudy.table.read import is_csv
    from understudy.table.reading import Reading

    given = csv_flags(delimiter, encoding, missing)
    idle = [flag for flag, value in given.items() if value is not None]
    if idle and not any(is_csv(source) for source in sources):
        raise InputError(f"{command}: {idle[0]} is for CSV files, and no real table is one; leave it out.")
    return Reading(separator(delimiter), encoding, tuple(missing or ()))


def csv_flags(
    delimiter: str | None, encoding: str | None, missing: Sequence[str] | None
) -> dict[str, object]:
    """Return the options of CSV files with what was said of each, None where nothing was."""
    return {"--delimiter": delimiter, "--encoding": encoding, "--missing": missing or None}


def csv_words(delimiter: str | None, encoding: str | None, missing: Sequence[str]) -> list[str]:
    """Return the words of a command that says the same of its CSV files.

    >>> csv_words(";", None, ["NA"])
    ['--delimiter', ';', '--missing', 'NA']
    """
    words = [] if delimiter is None else ["--delimiter", delimiter]
    words += [] if encoding is None else ["--encoding", encoding]
    return words + [word for each in missing for word in ("--missing", each)]


def named_source(data: str) -> str:
    """Return a source for a command to be pasted; one whose URL may hold a password has to be filled in.

    >>> named_source("sqlite:///x.db?table=t"), named_source("postgresql://me:secret@host/db?table=people")
    ('sqlite:///x.db?table=t', 'THE postgresql URL, NOT SHOWN SINCE IT MAY HOLD A PASSWORD')
    """
    scheme, mark, _ = data.partition("://")
    if not mark or scheme.lower() in {"sqlite", "sqlite+pysqlite"}:  # these are files
        return data
    return f"THE {scheme} URL, NOT SHOWN SINCE IT MAY HOLD A PASSWORD"


@contextmanager
def in_a_shell() -> Iterator[None]:
    """Give the advice of errors of reading as options: nobody types Python at a prompt."""
    try:
        yield
    except EncodingError as error:
        raise EncodingError(_in_a_shell(str(error))) from None
    except CsvError as error:
        raise CsvError(_in_a_shell(str(error)), line=error.line, column=error.column) from None


def _in_a_shell(message: str) -> str:
    """Return the advice of an error of reading as an option.

    >>> _in_a_shell("'a.csv': not UTF-8; pass encoding=, for example encoding='cp1252'.")
    "'a.csv': not UTF-8; pass --encoding, for example --encoding cp1252."
    >>> _in_a_shell("'a.csv': line 1 has a semicolon in it; pass delimiter=';', or quote the name.")
    "'a.csv': line 1 has a semicolon in it; pass --delimiter ';', or quote the name."
    """
    found, sign, advice = message.rpartition("; ")
    advice = re.sub(r"encoding='([^']+)'", r"--encoding \1", advice)
    advice = re.sub(r"delimiter='([^']+)'", r"--delimiter '\1'", advice)
    return f"{found}{sign}{advice.replace('encoding=', '--encoding')}"
