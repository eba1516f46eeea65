"""From a file to UTF-8 bytes: size caps, gzip, byte-order marks, encodings, NULs.

Whatever comes in, what goes out is valid UTF-8 without a byte-order mark and without a
NUL, or a typed error that names the byte offset. The cap is checked while decoding, so
a gzip bomb is refused after `limit_bytes` and not after the memory is gone.
"""

from __future__ import annotations

import codecs
import gzip
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from understudy.errors import CsvError, EncodingError, ReadError, TooLarge

__all__ = ["read_text_bytes"]

CHUNK = 4 * 2**20
LOOK = 1_000  # bytes of the start that tell UTF-16 from a stray NUL
GZIP = b"\x1f\x8b"
# UTF-32 comes first: its little-endian mark begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"PK\x05\x06": "an empty zip archive",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ\x00": "an xz file",
    b"\x28\xb5\x2f\xfd": "a zstandard file",
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"SQLite format 3\x00": "a SQLite database",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"%PDF-": "a PDF document",
}


def read_text_bytes(path: Path, *, encoding: str | None, limit_bytes: int) -> bytearray:
    """Return the file's text as UTF-8 bytes, decompressed and without a byte-order mark."""
    data = _read(path, limit_bytes)
    start = bytes(data[:LOOK])
    mark, marked = next(((m, name) for m, name in MARKS if data.startswith(m)), (b"", "utf-8"))
    codec = marked if encoding is None else _codec(encoding, mark, path)
    if codec == "utf-8":
        _refuse_invalid_utf8(data, path, stated=encoding is not None or bool(mark))
    else:
        data = _transcode(data, codec, path, limit_bytes)
    if data.startswith(codecs.BOM_UTF8):
        del data[: len(codecs.BOM_UTF8)]
    _refuse_nul(data, path, start)
    return data


def _read(path: Path, limit: int) -> bytearray:
    try:
        information = path.stat()
        if not stat.S_ISREG(information.st_mode):  # a pipe would wait for its writer for ever
            raise ReadError(f"{str(path)!r}: not a regular file; give the path of a file.")
        with open(path, "rb") as file:
            compressed = file.read(len(GZIP)) == GZIP
            file.seek(0)
            if not compressed and path.name.lower().endswith(".gz"):
                message = (
                    "the name ends in .gz, and the bytes are not gzip; copy the file again, or rename it"
                )
                raise ReadError(f"{str(path)!r}: {message}.")
            if not compressed and information.st_size > limit:
                raise _too_large(path, limit)
            return _collect(_inflate(file, path) if compressed else _chunks(file), path, limit)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL in it
        reason = getattr(error, "strerror", None) or "not a valid path"
        raise ReadError(f"{str(path)!r}: cannot be read ({reason}).") from None


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def _inflate(file: IO[bytes], path: Path) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=file) as member:
            while chunk := member.read(CHUNK):
                yield chunk
    except (EOFError, gzip.BadGzipFile, zlib.error):
        message = "the gzip data is cut short or damaged; copy the file again"
        raise ReadError(f"{str(path)!r}: {message}.") from None


def _collect(chunks: Iterator[bytes], path: Path, limit: int) -> bytearray:
    data = bytearray()
    for chunk in chunks:
        if len(data) + len(chunk) > limit:
            raise _too_large(path, limit)
        data += chunk
    return data


def _too_large(path: Path, limit: int) -> TooLarge:
    return TooLarge(f"{str(path)!r}: more than {limit:,} bytes of text; raise limit_bytes or split the file.")


def _refuse_other_formats(start: bytes, path: Path) -> None:
    """Name the format of bytes that turned out not to be text (a CSV may well start with PAR1)."""
    for magic, what in OTHER_FORMATS.items():
        if start.startswith(magic):
            raise ReadError(f"{str(path)!r}: expected CSV text; this is {what}.")


def _codec(encoding: str, mark: bytes, path: Path) -> str:
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)  # refuses codecs that do not turn bytes into text, such as base64
    except (LookupError, ValueError):
        raise EncodingError(f"{str(path)!r}: Python knows no text encoding {encoding!r}.") from None
    if mark == codecs.BOM_UTF8 and not name.startswith("utf"):
        message = (
            f"the file says by its byte-order mark that it is UTF-8; got encoding={encoding!r}; leave it out"
        )
        raise EncodingError(f"{str(path)!r}: {message}.")
    return "utf-8" if name == "utf-8-sig" else name


def _refuse_invalid_utf8(data: bytearray, path: Path, *, stated: bool) -> None:
    view, start = memoryview(data), 0
    try:
        while start < len(view):
            block = view[start : start + CHUNK]
            start += codecs.utf_8_decode(block, "strict", start + CHUNK >= len(view))[1]
    except UnicodeDecodeError as error:
        offset = start + error.start
        _refuse_other_formats(bytes(data[:LOOK]), path)
        advice = "the file is damaged" if stated else "pass encoding=, for example encoding='cp1252'"
        raise EncodingError(f"{str(path)!r}: not UTF-8 at byte offset {offset:,}; {advice}.") from None


def _transcode(data: bytearray, codec: str, path: Path, limit: int) -> bytearray:
    decoder, out, start = codecs.getincrementaldecoder(codec)(), bytearray(), 0
    while start < len(data):
        chunk = bytes(data[start : start + CHUNK])
        waiting = _waiting(decoder)
        start += len(chunk)
        try:
            out += decoder.decode(chunk, start >= len(data)).encode()
        except UnicodeError as error:
            place = getattr(error, "start", 0) + start - len(chunk) - waiting
            message = f"not valid {codec} at byte offset {max(place, 0):,}; pass the right encoding="
            raise EncodingError(f"{str(path)!r}: {message}.") from None
        if len(out) > limit:
            raise _too_large(path, limit)
    return out


def _waiting(decoder: codecs.IncrementalDecoder) -> int:
    """Count the bytes of an unfinished character: an error's offset starts before them."""
    return len(decoder.getstate()[0])


def _refuse_nul(data: bytearray, path: Path, start: bytes) -> None:
    offset = data.find(0)
    if offset < 0:
        return
    _refuse_other_formats(start, path)
    if data.count(0, 0, LOOK) * 4 >= min(len(data), LOOK):
        advice = (
            "if this is UTF-16 or UTF-32 without a byte-order mark, pass encoding='utf-16-le' or the like"
        )
        raise EncodingError(f"{str(path)!r}: NUL bytes from byte offset {offset:,} on; {advice}.")
    line = data.count(b"\n", 0, offset) + 1
    raise CsvError(
        f"{str(path)!r}: line {line} holds a NUL character; remove it or export the file again.", line=line
    )
