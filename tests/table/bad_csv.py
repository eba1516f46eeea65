"""CSV files that are broken, odd, or only look broken, as data: what each must give.

A case with an `error` must raise exactly that type at that line (and column, where one is
given); a case with `cells` must give exactly those. The canary stands in a cell or a name of
every broken file that has room for one, and must never turn up in a message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from understudy.errors import CsvError, EncodingError, ParameterError, ReadError, TooLarge, UnderstudyError

CANARY = "Q7canaryQ7"
_C = CANARY.encode()


@dataclass(frozen=True)
class Case:
    """One file: its bytes, how it is read, and what must come of it."""

    name: str
    content: bytes
    error: type[UnderstudyError] | None = None
    line: int | None = None
    column: int | None = None
    cells: dict[str, list[Any]] | None = None
    options: dict[str, Any] = field(default_factory=dict)


def _ragged() -> Iterator[Case]:
    """Records that are too short or too long, everywhere, with every line end."""
    for end_name, end in (("lf", b"\n"), ("crlf", b"\r\n"), ("cr", b"\r")):
        for width in (2, 3, 7):
            for change in (-1, 1, 4):
                for row in (1, 2, 4):
                    if width + change < 1:
                        continue
                    records = [b",".join(b"c%d" % i for i in range(width))]
                    records += [b",".join([_C] * width)] * 4
                    records[row] = b",".join([_C] * (width + change))
                    name = f"ragged {end_name} {width} columns {change:+d} in row {row}"
                    yield Case(name, end.join(records) + end, CsvError, row + 1)


def _ragged_special() -> Iterator[Case]:
    yield Case("ragged after a quoted newline", b'a,b\n"x\ny",1\n' + _C + b"\n", CsvError, 4)
    yield Case("ragged after two quoted newlines", b'a,b\n"x\n\ny",1\n1,2,' + _C + b"\n", CsvError, 5)
    yield Case("ragged record that itself spans lines", b'a,b\n1,2\n"' + _C + b'\n\n"\n3,4\n', CsvError, 3)
    yield Case("ragged in the last line without a line end", b"a,b\n1,2\n" + _C, CsvError, 3)
    yield Case("trailing separator on data only", b"a,b\n1," + _C + b",\n", CsvError, 2)
    yield Case("trailing separator on the last row", b"a,b\n1,2\n3," + _C + b",", CsvError, 3)
    yield Case("first row one longer, as an index", b"a,b\n0,1," + _C + b"\n1,2,3\n", CsvError, 2)
    yield Case("wrong separator in data", b"a,b\n1;" + _C + b"\n", CsvError, 2)
    yield Case("tabs in a comma file", b"a,b\n1\t" + _C + b"\n", CsvError, 2)
    yield Case("decimal comma", b"a,b\n1,5," + _C + b"\n", CsvError, 2)
    yield Case("two tables in one file", b"a,b\n1,2\n\nc,d,e\n" + _C + b",2,3\n", CsvError, 3)
    yield Case("a totals line of spaces", b"a,b\n1," + _C + b"\n   \n", CsvError, 3)
    yield Case("a comment line", b"a,b\n# " + _C + b"\n1,2\n", CsvError, 2)
    yield Case("a sep= line as Excel writes it", b"sep=;\na;b\n1;" + _C + b"\n", CsvError, 1, 1)
    many = b"a,b\n" + b"1,2\n" * 300_000
    yield Case("ragged far down, beyond one block", many + _C + b"\n" + many[4:], CsvError, 300_002)


def _blank_lines() -> Iterator[Case]:
    for end_name, end in (("lf", b"\n"), ("crlf", b"\r\n"), ("cr", b"\r")):
        for row in (1, 2, 3):
            records = [b"a,b", _C + b",1", b"3,4", b"5,6"]
            records.insert(row, b"")
            yield Case(f"blank line {end_name} at {row + 1}", end.join(records) + end, CsvError, row + 1)
        tail = b"a,b" + end + b"1,x" + end
        for extra in (0, 1, 2, 5):
            cells: dict[str, list[Any]] = {"a": [1], "b": ["x"]}
            yield Case(f"{extra} blank lines {end_name} at the end", tail + end * extra, cells=cells)
        one = b"a" + end + b"x" + end + end + b"y" + end
        yield Case(f"blank line {end_name} in one column is missing", one, cells={"a": ["x", None, "y"]})
        yield Case(
            f"blank line {end_name} at the end of one column", one + end, cells={"a": ["x", None, "y", None]}
        )
    yield Case("blank first line", b"\na,b\n" + _C + b",1\n", CsvError, 1)
    yield Case("first line of spaces", b"   \na\n" + _C + b"\n", CsvError, 1)


def _quotes() -> Iterator[Case]:
    yield Case("quote inside an unquoted field", b"a,b\n1," + _C + b'"x\n', CsvError, 2, 2)
    yield Case("quote at the end of an unquoted field", b"a,b\n1," + _C + b'"\n3,4\n', CsvError, 2, 2)
    yield Case("inches", b"a,b\n" + _C + b' 5",2\n', CsvError, 2, 1)
    yield Case("text after a closing quote", b'a,b\n"' + _C + b'"x,2\n', CsvError, 2, 1)
    yield Case("space after a closing quote", b'a,b\n1,"' + _C + b'" \n', CsvError, 2, 2)
    yield Case("space before an opening quote", b'a,b\n1, "' + _C + b'"\n', CsvError, 2, 2)
    yield Case("backslash escape", b'a,b\n1,"' + _C + b' \\"x\\" "\n', CsvError, 2, 2)
    yield Case("unclosed in the last field", b'a,b\n1,2\n3,"' + _C + b"\n", CsvError, 3, 2)
    yield Case("unclosed in the first field", b'a,b\n1,2\n"' + _C + b",4\n5,6\n", CsvError, 3, 1)
    yield Case("unclosed far from the end", b'a,b\n"' + _C + b",2\n" + b"1,2\n" * 1_000, CsvError, 2, 1)
    yield Case("unclosed over a later quoted field", b'a,b\n"' + _C + b',1\n"x",2\n', CsvError, 2, 1)
    yield Case("unclosed in the header", b'a,"' + _C + b"\n1,2\n", CsvError, 1, 2)
    yield Case("a lone quote as last byte", b"a,b\n" + _C + b',"', CsvError, 2, 2)
    yield Case("three quotes and no more", b"a,b\n" + _C + b',"""\n', CsvError, 2, 2)
    yield Case("quote in a header name", b'a,b"' + _C + b"\n1,2\n", CsvError, 1, 2)
    yield Case("text after a quoted header", b'"a"' + _C + b",b\n1,2\n", CsvError, 1, 1)
    yield Case("ragged comes before a bad quote", b"a,b\n1\n2," + _C + b'"x\n', CsvError, 2)
    yield Case("bad quote comes before ragged", b"a,b\n1," + _C + b'"x\n2\n', CsvError, 2, 2)
    big = b"a,b\n" + b'"x\ny",2\n' * 200_000
    yield Case("unclosed far down, with quoted newlines", big + b'"' + _C + b",2\n", CsvError, 400_002, 1)
    for name, cell, value in (
        ("only quotes", b'""""', '"'),
        ("two doubled quotes", b'""""""', '""'),
        ("doubled quotes inside", b'"a""b"', 'a"b'),
        ("a separator", b'","', ","),
        ("a newline", b'"x\ny"', "x\ny"),
        ("a CRLF", b'"x\r\ny"', "x\r\ny"),
        ("a lone CR", b'"x\ry"', "x\ry"),
        ("a quote and a newline", b'"""\n"""', '"\n"'),
        ("single quotes", b"'x'", "'x'"),
        ("a backslash", b"x\\", "x\\"),
        ("spaces kept", b"  x  ", "  x  "),
        ("quoted spaces kept", b'"  x  "', "  x  "),
        ("typographic quotes", "“x”".encode(), "“x”"),
        ("no-break space", b" x", " x"),
        ("line separator", "x\u2028y".encode(), "x\u2028y"),
        ("vertical tab and form feed", b"x\x0b\x0cy", "x\x0b\x0cy"),
        ("escape and delete", b"x\x1b[0m\x7f", "x\x1b[0m\x7f"),
        ("control-Z", b"x\x1a", "x\x1a"),
    ):
        for place, row in (("first", cell + b",9\n"), ("last", b"9," + cell + b"\n")):
            names = ("a", "b") if place == "first" else ("b", "a")
            content = ",".join(names).encode() + b"\n" + row
            yield Case(f"{name}, {place} field", content, cells={"a": [value], "b": [9]})


def _line_ends() -> Iterator[Case]:
    yield Case("bare CR in an LF file", b"a,b\n1," + _C + b"\r2,3\n", CsvError, 2, 2)
    yield Case("bare CR in a CRLF file", b"a,b\r\n1," + _C + b"\r2,3\r\n", CsvError, 2, 2)
    yield Case("LF in a CR file", b"a,b\r1," + _C + b"\n2,3\r", CsvError, 2, 2)
    yield Case("CRLF in a CR file", b"a,b\r1," + _C + b"\r\n3,4\r", CsvError, 3, 1)
    yield Case("CR CR LF", b"a,b\r\r\n1," + _C + b"\r\r\n", CsvError, 2)
    yield Case("CR at the end of one column of LF", b"a\n" + _C + b"\r", CsvError, 2, 1)
    cells: dict[str, list[Any]] = {"a": [1, 3], "b": ["x", "y"]}
    yield Case("mixed LF and CRLF", b"a,b\r\n1,x\n3,y\r\n", cells=cells)
    yield Case("LF header, CRLF data", b"a,b\n1,x\r\n3,y\r\n", cells=cells)
    yield Case("CR only", b"a,b\r1,x\r3,y\r", cells=cells)
    yield Case("CR only without the last", b"a,b\r1,x\r3,y", cells=cells)
    yield Case("CRLF without the last", b"a,b\r\n1,x\r\n3,y", cells=cells)
    yield Case("quoted LF in a CR file", b'a,b\r1,"x\ny"\r', cells={"a": [1], "b": ["x\ny"]})
    yield Case("quoted CR in a CR file", b'a,b\r1,"x\ry"\r', cells={"a": [1], "b": ["x\ry"]})


def _headers() -> Iterator[Case]:
    yield Case("empty file", b"", CsvError, 1)
    yield Case("only a byte-order mark", b"\xef\xbb\xbf", CsvError, 1)
    yield Case("only a UTF-16 mark", b"\xff\xfe", CsvError, 1)
    yield Case("only line feeds", b"\n\n\n", CsvError, 1)
    yield Case("only CRLF", b"\r\n", CsvError, 1)
    yield Case("only spaces", b"   ", CsvError, 1)
    for width, twin in ((2, 2), (3, 3), (5, 4)):
        names = [f"c{i}" for i in range(width - 1)]
        names.insert(twin - 1, names[0])
        content = (",".join(names) + "\n" + ",".join([CANARY] * width) + "\n").encode()
        yield Case(f"duplicate name {width} columns at {twin}", content, CsvError, 1, twin)
    yield Case("duplicate name, one quoted", b'a,"a"\n' + _C + b",1\n", CsvError, 1, 2)
    yield Case("duplicate secret name", _C + b",x," + _C + b"\n1,2,3\n", CsvError, 1, 3)
    yield Case("a,a,a.1", b"a,a,a.1\n" + _C + b",1,2\n", CsvError, 1, 2)
    for place in (1, 2, 3):
        for name, blank in (("empty", b""), ("quoted empty", b'""'), ("space", b" "), ("tab", b"\t")):
            row = [b"a", b"b", b"c"]
            row[place - 1] = blank
            content = b",".join(row) + b"\n" + b",".join([_C] * 3) + b"\n"
            yield Case(f"{name} name at {place}", content, CsvError, 1, place)
    yield Case("index column without a name", b",a,b\n0," + _C + b",2\n", CsvError, 1, 1)
    yield Case("trailing separator in the header", b"a,b,\n1,2," + _C + b"\n", CsvError, 1, 3)
    for word, other in (("semicolon", ";"), ("tab", "\t"), ("bar", "|")):
        file = f"a{other}b\n1{other}{CANARY}\n".encode()
        yield Case(f"separated by {word}", file, CsvError, 1, 1)
        known: dict[str, list[Any]] = {"a": [1], "b": [CANARY]}
        yield Case(f"separated by {word}, said so", file, cells=known, options={"delimiter": other})
    yield Case("comma file read with ;", b"a,b\n1," + _C + b"\n", CsvError, 1, 1, options={"delimiter": ";"})
    yield Case("a quoted lone name with ;", b'"a;b"\nx\n', cells={"a;b": ["x"]})
    yield Case("a name of 1,000 characters", b"n" * 1_000 + b",b\n1,2\n", cells={"n" * 1_000: [1], "b": [2]})
    yield Case("a name of 1,001 characters", b"n" * 1_001 + b",b\n" + _C + b",2\n", CsvError, 1, 1)
    yield Case("a name of 64 KB", b"a," + _C * 6_554 + b"\n1,2\n", CsvError, 1, 2)
    yield Case("header only", b"a,b\n", cells={"a": [], "b": []})
    yield Case("header only without a line end", b"a,b", cells={"a": [], "b": []})
    yield Case("header only, CR", b"a,b\r", cells={"a": [], "b": []})
    yield Case("header only, one column", b"a\n", cells={"a": []})
    yield Case("names that differ in case only", b"a,A\n1,2\n", cells={"a": [1], "A": [2]})
    yield Case("names with spaces kept", b" a, a \n1,2\n", cells={" a": [1], " a ": [2]})
    yield Case("a name over two lines", b'"a\nb",c\n1,2\n', cells={"a\nb": [1], "c": [2]})
    yield Case("ragged under a name over two lines", b'"a\nb",c\n1,2\n' + _C + b"\n", CsvError, 4)
    for word in (
        "__proto__",
        "../x",
        "<script>",
        "DROP TABLE x",
        "\u202ertl",
        "\u200b0",
        "🙂",
        "0",
        "-",
        "NaN",
        "a.1",
    ):
        yield Case(f"name {word!r}", f"{word},b\n1,2\n".encode(), cells={word: [1], "b": [2]})
    yield Case("a text file that starts like Parquet", b"PAR1,b\n1,2\n", cells={"PAR1": [1], "b": [2]})


def _encodings() -> Iterator[Case]:
    yield Case("Latin-1 taken for UTF-8", b"a,b\n1,caf\xe9 " + _C + b"\n", EncodingError)
    yield Case("lone continuation byte", b"a,b\n1,\x80" + _C + b"\n", EncodingError)
    yield Case("cut UTF-8 at the end", b"a,b\n" + _C + b",\xc3", EncodingError)
    yield Case("overlong slash", b"a,b\n" + _C + b",\xc0\xaf\n", EncodingError)
    yield Case("surrogate in UTF-8", b"a,b\n" + _C + b",\xed\xa0\x80\n", EncodingError)
    yield Case("beyond Unicode", b"a,b\n" + _C + b",\xf4\x90\x80\x80\n", EncodingError)
    yield Case("byte FF", b"a,b\n" + _C + b",\xff\n", EncodingError)
    yield Case("Latin-1 deep in a large file", b"a,b\n" + b"1,2\n" * 2_000_000 + b"\xe9" + _C, EncodingError)
    for codec in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        yield Case(f"{codec} without a mark", f"a,b\n1,{CANARY}\n".encode(codec), EncodingError)
        yield Case(
            f"{codec} without a mark, said so",
            "a,b\n1,é🙂\n".encode(codec),
            cells={"a": [1], "b": ["é🙂"]},
            options={"encoding": codec},
        )
        marked = "\ufeffa,b\n1,é🙂\n".encode(codec)
        yield Case(f"{codec} with a mark", marked, cells={"a": [1], "b": ["é🙂"]})
        yield Case(f"{codec} with a mark, cut", ("\ufeffa,b\n1," + CANARY).encode(codec)[:-1], EncodingError)
    for codec in ("utf-16-le", "utf-16-be"):
        text = (
            f"\ufeffa,b\n{CANARY},".encode(codec)
            + "\ud800".encode(codec, "surrogatepass")
            + "x\n".encode(codec)
        )
        yield Case(f"lone surrogate in {codec}", text, EncodingError)
    yield Case("no such encoding", b"a\n" + _C, EncodingError, options={"encoding": "utf-9"})
    yield Case("not a text encoding", b"a\n" + _C, EncodingError, options={"encoding": "base64"})
    yield Case(
        "Latin-1 against a mark", b"\xef\xbb\xbfa\n" + _C, EncodingError, options={"encoding": "latin-1"}
    )
    yield Case("ASCII with an umlaut", b"a\n\xc3\xbc" + _C, EncodingError, options={"encoding": "ascii"})
    yield Case("broken Shift-JIS", b"a\n" + _C + b"\x81", EncodingError, options={"encoding": "shift_jis"})
    yield Case("UTF-8 mark", b"\xef\xbb\xbfa,b\n1,x\n", cells={"a": [1], "b": ["x"]})
    yield Case("UTF-8 mark before a quoted name", b'\xef\xbb\xbf"a",b\n1,x\n', cells={"a": [1], "b": ["x"]})
    yield Case("UTF-8 mark inside the data", b"a,b\n1,\xef\xbb\xbfx\n", cells={"a": [1], "b": ["\ufeffx"]})
    yield Case("NUL in a cell", b"a,b\n1," + _C + b"xx\0yy\n", CsvError, 2)
    yield Case("NUL in the header", b"a,b\0" + _C + b"\n1,2\n", CsvError, 1)
    yield Case("NUL in quotes", b'a,b\n1,2\n1,"' + _C + b' \0 "\n', CsvError, 3)
    yield Case("NULs after the end", b"a,b\n1," + _C + b"\n\0\0", CsvError, 3)


def _formats() -> Iterator[Case]:
    yield Case("zip", b"PK\x03\x04\x14\x00\x00\x00" + _C, ReadError)
    yield Case("bzip2", b"BZh91AY&SY\x00\xff" + _C, ReadError)
    yield Case("xz", b"\xfd7zXZ\x00\x00\x04" + _C, ReadError)
    yield Case("zstandard", b"\x28\xb5\x2f\xfd\x04\x00" + _C, ReadError)
    yield Case("Parquet", b"PAR1\x15\x04\x00\xff" + _C, ReadError)
    yield Case("Arrow", b"ARROW1\x00\x00" + _C, ReadError)
    yield Case("SQLite", b"SQLite format 3\x00" + _C, ReadError)
    yield Case("old Excel", b"\xd0\xcf\x11\xe0\xa1\xb1" + _C, ReadError)
    yield Case("PDF", b"%PDF-1.7\n\xff" + _C, ReadError)
    yield Case("gzip cut short", b"\x1f\x8b\x08\x00\x00", ReadError)
    yield Case("gzip of an unknown method", b"\x1f\x8b\x07" + b"\0" * 20, ReadError)
    yield Case("gzip of garbage", b"\x1f\x8b\x08\x00\0\0\0\0\0\x03" + b"\xff" * 40, ReadError)
    yield Case("over the cap", b"a,b\n" + _C + b",1\n", TooLarge, options={"limit_bytes": 10})
    for bad in ("", ",,", "ab", '"', "\n", "\r", "\0", "é", "a", "1", ".", "-", "+", ":", "'", "=", "@"):
        yield Case(f"delimiter {bad!r}", b"a\n" + _C, ParameterError, options={"delimiter": bad})


CASES = [
    *_ragged(), *_ragged_special(), *_blank_lines(), *_quotes(),
    *_line_ends(), *_headers(), *_encodings(), *_formats(),
]  # fmt: skip
