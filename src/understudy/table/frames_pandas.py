"""pandas frames, in and out, column by column and dtype by dtype.

The index: an unnamed index of whole numbers is a numbering of the rows and is no part of the
table. Any other index holds data, so it is refused with the advice to make it a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pat

from understudy.errors import FrameError
from understudy.table.arrow_plain import conform, plain_column
from understudy.table.arrow_types import from_text
from understudy.table.frames_objects import ingest_objects, restore_objects
from understudy.table.table import refuse_bad_names

if TYPE_CHECKING:
    import pandas as pd

    from understudy.table.frames import FrameColumn

__all__ = ["ingest", "restore"]

_ADVICE = {
    "period": "convert it with .dt.to_timestamp()",
    "interval": "convert it to text with .astype(str)",
    "Sparse": "convert it with .sparse.to_dense()",
    "complex": "give the real and the imaginary part their own columns",
}


def ingest(_kind: str, frame: pd.DataFrame) -> tuple[pa.Table, list[str]]:
    """Return the columns as Arrow and their dtypes as text."""
    _refuse_axes(frame)
    names = [str(name) for name in frame.columns]
    columns = [_ingest_column(name, frame.iloc[:, place]) for place, name in enumerate(names)]
    return pa.table([array for array, _ in columns], names=names), [text for _, text in columns]


def restore(_kind: str, arrow: pa.Table, columns: Sequence[FrameColumn]) -> pd.DataFrame:
    """Return a pandas frame with the dtypes that `columns` name, and a fresh numbering of the rows."""
    import pandas as pd

    wanted = {column.name: column for column in columns}
    data = {}
    for name, array in zip(arrow.schema.names, arrow.columns, strict=True):
        column = wanted.get(name)
        if column is None:
            values = _suitable(array)
        else:
            values = _restore_column(name, array, column.dtype, from_text(column.type))
        data[name] = pd.Series(values, dtype=values.dtype, copy=False)
    # Arrow's memory is read-only, and may be a table's own: the caller gets a frame to write in.
    return pd.DataFrame(data, index=pd.RangeIndex(arrow.num_rows), copy=True)


def _refuse_axes(frame: pd.DataFrame) -> None:
    import pandas as pd

    if frame.columns.nlevels > 1:
        raise FrameError("pandas: the columns have several levels; join them into one name each.")
    if not all(isinstance(name, str) for name in frame.columns):
        raise FrameError("pandas: a column name is not text; rename it with frame.rename(columns=str).")
    refuse_bad_names(list(frame.columns))
    index = frame.index
    if index.nlevels > 1 or index.name is not None or not pd.api.types.is_integer_dtype(index.dtype):
        if len(frame.columns) and len(index) == 0 and index.name is None:
            return
        raise FrameError(
            "pandas: the index holds data; make it a column with frame.reset_index(), "
            "or drop it with frame.reset_index(drop=True)."
        )


def _ingest_column(name: str, series: pd.Series) -> tuple[pa.ChunkedArray, str]:
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _ingest_category(name, series)
    if dtype.kind == "O" and isinstance(dtype, np.dtype):
        array, word = ingest_objects(name, series)
        return _chunked(array), f"object<{word}>"
    text = _dtype_text(name, dtype)
    try:
        return _chunked(pa.array(series.array if text in _OWN_ARROW else series, from_pandas=True)), text
    except (pa.ArrowException, TypeError, ValueError, UnicodeError, OverflowError):
        raise FrameError(
            f"pandas: column {name!r} of dtype {text} could not be turned into Arrow; "
            "convert it to a plain dtype."
        ) from None


_OWN_ARROW = frozenset({"arrow"})


def _dtype_text(name: str, dtype: Any) -> str:
    import pandas as pd

    if isinstance(dtype, pd.StringDtype):
        nan = isinstance(dtype.na_value, float)
        return f"{'str' if nan else 'string'}[{'python' if dtype.storage == 'python' else 'pyarrow'}]"
    if isinstance(dtype, pd.ArrowDtype):
        return "arrow"
    text = str(dtype)
    for start, advice in _ADVICE.items():
        if text.startswith(start):
            raise FrameError(f"pandas: column {name!r} has the dtype {start}; {advice}.")
    if not _is_known(text):
        raise FrameError(
            f"pandas: column {name!r} has a dtype that is not known here; convert it to a plain dtype."
        )
    return text


def _is_known(text: str) -> bool:
    stem = text.lower().rstrip("0123456789")
    return stem in {"int", "uint", "float", "bool", "boolean"} or text.startswith(
        ("datetime64[", "timedelta64[")
    )


def _chunked(array: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _ingest_category(name: str, series: pd.Series) -> tuple[pa.ChunkedArray, str]:
    import pandas as pd

    levels = series.cat.categories
    categories, text = _ingest_column(name, pd.Series(levels, dtype=levels.dtype))
    values = plain_column(name, categories, "pandas").combine_chunks()
    codes = series.cat.codes.to_numpy().astype(np.int32)
    indices = pa.array(codes, mask=codes < 0)
    array = pa.DictionaryArray.from_arrays(indices, values, ordered=bool(series.cat.ordered))
    return _chunked(array), f"category<{text}>"


def _suitable(column: pa.ChunkedArray) -> Any:
    import pandas as pd

    kind = column.type
    if column.null_count and (pat.is_integer(kind) or pat.is_boolean(kind)):
        return _nullable(_numpy_name(kind)).__from_arrow__(column)
    try:
        return column.to_pandas().array
    except (pa.ArrowException, ValueError, OverflowError):
        # Python has no nanosecond and no year 10,000; the Arrow dtype holds them without a cut.
        dtype: Any = pd.ArrowDtype(kind)
        return dtype.__from_arrow__(column)


def _restore_column(name: str, column: pa.ChunkedArray, text: str, kind: pa.DataType) -> Any:
    if text.startswith("category<"):
        return _restore_category(name, column, text[9:-1], kind)
    if text.startswith("object<"):
        return restore_objects(name, column, text[7:-1], kind)
    column = conform(name, column, kind)
    extension = _extension_dtype(text, kind, column.null_count > 0)
    if extension is not None:
        return extension.__from_arrow__(column)
    if "64[" in text:
        return _restore_times(column.to_pandas(), text)
    return column.to_numpy().astype(text, copy=False)


def _restore_times(series: Any, text: str) -> Any:
    # One fixed offset has several spellings (of pandas, of datetime, of pytz); the caller's is put back.
    if str(series.dtype) != text and "UTC" in text:
        series = series.astype(text)
    return series.array


def _extension_dtype(text: str, kind: pa.DataType, has_missing: bool) -> Any:
    import pandas as pd

    if text == "arrow":
        return pd.ArrowDtype(kind)
    if text.startswith("str"):
        return _string_dtype(text)
    if text[0] in "IUF" or text == "boolean":
        return pd.api.types.pandas_dtype(text)
    # NumPy has no missing integer or truth value: the nullable form is exact, a float would not be.
    return _nullable(text) if has_missing and text[0] in "iub" else None


def _restore_category(name: str, column: pa.ChunkedArray, text: str, kind: pa.DataType) -> Any:
    import pandas as pd

    column = plain_column(name, conform(name, column, kind))
    whole = column.combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    levels = _restore_column(name, pa.chunked_array([whole.dictionary]), text, kind.value_type)
    codes = whole.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    index = pd.Index(levels, dtype=levels.dtype)
    return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(index, ordered=kind.ordered))


def _string_dtype(text: str) -> Any:
    import pandas as pd

    word, storage = text[:-1].split("[")
    if word == "string":
        return pd.StringDtype(storage)
    try:
        return pd.StringDtype(storage, na_value=np.nan)
    except TypeError:  # pandas 2.2 spells the form with NaN as a storage of its own
        return pd.StringDtype("pyarrow_numpy")


def _numpy_name(kind: pa.DataType) -> str:
    return "bool" if pat.is_boolean(kind) else str(kind)


def _nullable(text: str) -> Any:
    import pandas as pd

    name = "boolean" if text == "bool" else text.replace("i", "I").replace("u", "U")
    return pd.api.types.pandas_dtype(name)
