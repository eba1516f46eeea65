"""The few Arrow types that a table holds inside, and the way there and back.

Arrow has several layouts for one meaning (text three ways, decimals four ways, run-end encoding).
Inside a table there is one of each, so that no later room needs to know about the others:
bool, signed and unsigned integers, float32 and float64, string and large_string, decimal128 and
decimal256, date32, time32 and time64, timestamp, duration, and dictionaries of those. NaN is
missing. What has no such form is refused with the name of its column, never with a value.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pat

from understudy.errors import FrameError
from understudy.table.arrow_limits import refuse_impossible
from understudy.table.table import refuse_bad_names

__all__ = ["NULL", "conform", "plain", "plain_column", "refuse_type"]

NULL = {b"understudy:null": b"1"}  # noted on what came as a column of no type: nothing can be in it
OURS = b"understudy"  # field and schema metadata of other programs can hold cells; only our own is kept

_ADVICE = (
    (pat.is_nested, "nested values", "give each part its own column"),
    (pat.is_binary, "binary values", "leave the column out or turn it into text"),
    (pat.is_large_binary, "binary values", "leave the column out or turn it into text"),
    (pat.is_fixed_size_binary, "binary values", "leave the column out or turn it into text"),
    (pat.is_binary_view, "binary values", "leave the column out or turn it into text"),
    (pat.is_interval, "calendar intervals, which have no fixed length", "turn it into a duration"),
    (pat.is_union, "values of several types", "give each type its own column"),
)


def plain(arrow: pa.Table, who: str = "table") -> pa.Table:
    """Return the same rows in the types a table holds inside, or refuse with the column's name.

    >>> plain(pa.table({"a": pa.array([1.5, float("nan")])})).column("a").null_count
    1
    """
    refuse_bad_names(arrow.schema.names)
    if not arrow.schema.names:
        raise FrameError(f"{who}: there are no columns; give a table with at least one.")
    columns = [
        _checked(field, column, who) for field, column in zip(arrow.schema, arrow.columns, strict=True)
    ]
    fields = [
        pa.field(field.name, column.type, field.nullable or column.null_count > 0, _noted(field))
        for field, column in zip(arrow.schema, columns, strict=True)
    ]
    return pa.table(columns, schema=pa.schema(fields, metadata=_ours(arrow.schema.metadata)))


def plain_column(name: str, column: pa.ChunkedArray, who: str = "table") -> pa.ChunkedArray:
    """Return one column in a type a table holds inside."""
    refuse_type(name, column.type, who)
    try:
        column = _plain(column)
        refuse_impossible(name, column, who)
        return column
    except pa.ArrowException:
        # The text of an Arrow error quotes the offending cell, so it goes no further than here.
        raise FrameError(
            f"{who}: column {name!r} holds values that its type {column.type} cannot hold exactly; "
            "repair the source."
        ) from None


def refuse_type(name: str, kind: pa.DataType, who: str = "table") -> None:
    """Refuse a type that has no place in a table, with advice."""
    if isinstance(kind, pa.BaseExtensionType):
        raise FrameError(
            f"{who}: column {name!r} has the extension type {kind.extension_name!r}; "
            "cast it to a plain type first."
        )
    if pat.is_dictionary(kind) or pat.is_run_end_encoded(kind):
        refuse_type(name, kind.value_type, who)
        return
    for test, what, advice in _ADVICE:
        if test(kind):
            raise FrameError(f"{who}: column {name!r} holds {what}; {advice}.")


def conform(name: str, column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Return a column cast to exactly `kind`; refuse when a value would change."""
    if column.type == kind:
        return column
    try:
        return _cast(column, kind)
    except pa.ArrowException:
        raise FrameError(f"table: column {name!r} of type {column.type} does not fit into {kind}.") from None


def _checked(field: pa.Field, column: pa.ChunkedArray, who: str) -> pa.ChunkedArray:
    metadata = field.metadata or {}
    if b"ARROW:extension:name" in metadata:
        raise FrameError(
            f"{who}: column {field.name!r} has an extension type that is not known here; "
            "cast it to a plain type first."
        )
    return plain_column(field.name, column, who)


def _noted(field: pa.Field) -> dict[bytes, bytes] | None:
    kept = {key: value for key, value in (_ours(field.metadata) or {}).items() if key not in NULL}
    # Whatever a note says: a column that has a type now may hold values.
    return (kept | NULL if _holds_nothing(field.type) else kept) or None


def _holds_nothing(kind: pa.DataType) -> bool:
    return bool(pat.is_null(kind.value_type if pat.is_dictionary(kind) else kind))


def _ours(metadata: dict[bytes, bytes] | None) -> dict[bytes, bytes] | None:
    kept = {key: value for key, value in (metadata or {}).items() if key.startswith(OURS)}
    return kept or None


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pat.is_run_end_encoded(kind):
        chunks = [pc.run_end_decode(chunk) for chunk in column.chunks]
        return _plain(pa.chunked_array(chunks, type=kind.value_type))
    if pat.is_dictionary(kind):
        return _plain_dictionary(column)
    if pat.is_date64(kind):
        return _whole_days(column)
    column = _cast_simple(column, _plain_type(kind))
    return _without_nan(column) if pat.is_floating(kind) else column


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pat.is_null(kind):
        return pa.string()
    if pat.is_string_view(kind):
        return pa.large_string()
    if pat.is_float16(kind):
        return pa.float32()
    if pat.is_decimal(kind) and kind.bit_width < 128:
        return pa.decimal128(kind.precision, kind.scale)
    return kind


def _whole_days(column: pa.ChunkedArray) -> pa.ChunkedArray:
    # Arrow's own cast from date64 drops the part of a day without a word; by way of seconds it checks.
    milliseconds = column.cast(pa.int64())
    days = pc.divide(milliseconds, 86_400_000)
    if not pc.all(pc.equal(pc.multiply(days, 86_400_000), milliseconds), min_count=0).as_py():
        raise pa.ArrowInvalid("parts of a day")
    return days.cast(pa.int32()).cast(pa.date32())


def _without_nan(column: pa.ChunkedArray) -> pa.ChunkedArray:
    nan = pc.is_nan(column)
    if not pc.any(nan).as_py():
        return column
    return pc.if_else(nan, pa.scalar(None, column.type), column)


def _plain_dictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    ordered = column.type.ordered
    column = column.unify_dictionaries()
    if not column.num_chunks:
        column = pa.chunked_array([pa.nulls(0, column.type)])
    values = _plain(pa.chunked_array([column.chunk(0).dictionary])).combine_chunks()
    if values.null_count or len(values.unique()) != len(values):
        # A level that stands twice, or a missing one, has no single code: the levels are listed anew, in the
        # order that they had, which is the type's and not the rows'.
        return _listed_anew(_plain(column.cast(column.type.value_type)), values, ordered)
    chunks = [
        pa.DictionaryArray.from_arrays(chunk.indices.cast(pa.int32()), values, ordered=ordered)
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks)


def _listed_anew(cells: pa.ChunkedArray, values: pa.Array, ordered: bool) -> pa.ChunkedArray:
    levels = pc.unique(pc.drop_null(values))
    chunks = [
        pa.DictionaryArray.from_arrays(pc.index_in(chunk, value_set=levels), levels, ordered=ordered)
        for chunk in cells.chunks
    ]
    return pa.chunked_array(chunks, type=pa.dictionary(pa.int32(), levels.type, ordered))


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if pat.is_run_end_encoded(kind):
        flat = _cast(column, kind.value_type)
        chunks = [pc.run_end_encode(chunk, run_end_type=kind.run_end_type) for chunk in flat.chunks]
        return pa.chunked_array(chunks, type=kind)
    if pat.is_dictionary(kind):
        return _cast_dictionary(column, kind)
    if pat.is_dictionary(column.type):
        return _cast(column.cast(column.type.value_type), kind)
    if pat.is_null(kind):
        all_missing = column.null_count == len(column)
        return pa.chunked_array([pa.nulls(len(column))]) if all_missing else column
    return _cast_simple(column, kind)


def _cast_simple(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    try:
        return column.cast(kind)
    except pa.ArrowNotImplementedError:
        if not (pat.is_string_view(kind) or pat.is_string_view(column.type)):
            raise
        # pyarrow 17 holds string views but casts none; this way is slow, and exact.
        return pa.chunked_array([pa.array(column.to_pylist(), kind)])


def _cast_dictionary(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if pat.is_null(kind.value_type) and column.null_count == len(column):
        return pa.chunked_array([pa.nulls(len(column), kind)])
    if not pat.is_dictionary(column.type):
        column = column.cast(kind.value_type).dictionary_encode()
    column = column.unify_dictionaries()
    largest = max((len(chunk.dictionary) for chunk in column.chunks), default=0)
    room = 2 ** (kind.index_type.bit_width - (not pat.is_unsigned_integer(kind.index_type)))
    index = kind.index_type if largest <= room else column.type.index_type
    chunks = [
        pa.DictionaryArray.from_arrays(
            chunk.indices.cast(index), chunk.dictionary.cast(kind.value_type), ordered=kind.ordered
        )
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, type=pa.dictionary(index, kind.value_type, kind.ordered))
