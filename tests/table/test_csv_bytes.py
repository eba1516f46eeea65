"""From a file to UTF-8 bytes: encodings, marks, compression, caps."""

from __future__ import annotations

import gzip
import os
import resource
from pathlib import Path

import pytest

from understudy.errors import CsvError, EncodingError, ReadError, TooLarge
from understudy.table import csv_bytes
from understudy.table.csv_bytes import read_text_bytes

MARKED = ["utf-8", "utf-8-sig", "utf-16", "utf-32"]
CODECS = [*MARKED, "utf-16-le", "utf-32-be", "latin-1", "cp1252", "cp1250", "koi8-r", "shift_jis", "gb18030"]
TEXTS = [
    "plain", "café", "Zürich", "naïve", "Привет", "東京", "한국", "عربى", "עברית", "\U0001f642", "e\u0301",
    "\ufb01", "\u200d\u200b", "\u202eabc", "½", "€", "ß", "İı", "ǅ", "\U0001d4b3",
]  # fmt: skip


def read(path: Path, content: bytes, encoding: str | None = None, limit_bytes: int = 2**30) -> bytearray:
    path = path / "table.csv"
    path.write_bytes(content)
    return read_text_bytes(path, encoding=encoding, limit_bytes=limit_bytes)


@pytest.mark.parametrize("codec", CODECS)
def test_a_stated_encoding_gives_the_text(codec: str, tmp_path: Path) -> None:
    tried = 0
    for text in TEXTS:
        if text.encode(codec, "ignore").decode(codec) != text:
            continue  # the encoding has no such letters
        content = f"a,b\n{text},1\n".encode(codec)
        assert read(tmp_path, content, codec).decode() == f"a,b\n{text},1\n"
        tried += 1
    assert tried >= 1


@pytest.mark.parametrize("codec", CODECS)
def test_an_unstated_encoding_is_recognised_or_refused_and_never_guessed(codec: str, tmp_path: Path) -> None:
    for text in TEXTS:
        if text.encode(codec, "ignore").decode(codec) != text:
            continue
        content = f"a,b\n{text},1\n".encode(codec)
        if codec in MARKED or (text.isascii() and not codec.startswith("utf-")):
            assert read(tmp_path, content).decode() == f"a,b\n{text},1\n"
        else:
            with pytest.raises(EncodingError, match=r"byte offset [\d,]+.*encoding=") as caught:
                read(tmp_path, content)
            assert text not in str(caught.value)


@pytest.mark.parametrize("size", [4, 5, 7, 9])
@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "utf-32", "shift_jis", "gb18030"])
def test_characters_cut_by_a_chunk_are_put_together(
    codec: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_bytes, "CHUNK", size)
    text = "a,東京\nß,x\n" if codec in ("utf-8", "gb18030") else "a,東京\n"
    assert read(tmp_path, text.encode(codec), codec).decode() == text


@pytest.mark.parametrize("size", [4, 5, 1_000])
def test_the_offset_of_a_bad_byte_does_not_depend_on_the_chunks(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_bytes, "CHUNK", size)
    with pytest.raises(EncodingError, match="byte offset 9;"):
        read(tmp_path, "a,é\nb,é".encode() + b"\xff\n")
    with pytest.raises(EncodingError, match="byte offset 6;"):
        read(tmp_path, b"a,\x83\x65,\xff\xff\n"[:5] + b",\xff\xff\n", "shift_jis")


def test_a_mark_against_a_stated_unicode_encoding_is_taken_off(tmp_path: Path) -> None:
    for codec in ("utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-32-le"):
        content = "\ufeffa,b\n".encode("utf-8" if codec == "utf-8-sig" else codec)
        assert read(tmp_path, content, codec) == b"a,b\n"


def test_a_stray_nul_has_a_line_and_utf_16_has_advice(tmp_path: Path) -> None:
    with pytest.raises(CsvError) as caught:
        read(tmp_path, b"a,b\n1,2\n3,\0\n" + b"5,6\n" * 10)
    assert caught.value.line == 3
    with pytest.raises(EncodingError, match="utf-16-le"):
        read(tmp_path, "a,b\n".encode("utf-16-be"))


def test_the_cap_counts_text_and_not_compressed_bytes(tmp_path: Path) -> None:
    assert len(read(tmp_path, gzip.compress(b"a" * 1_000), limit_bytes=1_000)) == 1_000
    with pytest.raises(TooLarge, match="999 bytes"):
        read(tmp_path, gzip.compress(b"a" * 1_000), limit_bytes=999)
    with pytest.raises(TooLarge):
        read(tmp_path, ("a" * 400 + "東" * 300).encode("utf-16"), limit_bytes=1_290)


def test_a_bomb_costs_no_more_memory_than_the_cap(tmp_path: Path) -> None:
    bomb = gzip.compress(b"a" * 2**24) * 64  # a gibibyte in a few hundred kilobytes
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(TooLarge):
        read(tmp_path, bomb, limit_bytes=2**25)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 2**10  # KiB


def test_a_sparse_file_over_the_cap_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with open(path, "wb") as file:
        file.truncate(2**40)
    with pytest.raises(TooLarge):
        read_text_bytes(path, encoding=None, limit_bytes=2**33)


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    with pytest.raises(ReadError, match="not a regular file"):
        read_text_bytes(path, encoding=None, limit_bytes=10)


def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "closed.csv"
    path.write_bytes(b"a\n1\n")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(ReadError, match="Permission denied"):
        read_text_bytes(path, encoding=None, limit_bytes=10)


def test_a_name_that_promises_gzip_and_plain_bytes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.csv.GZ"
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(ReadError, match="the bytes are not gzip"):
        read_text_bytes(path, encoding=None, limit_bytes=2**20)
