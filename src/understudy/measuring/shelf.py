"""Values as files that other processes map into their memory: a tree in JSON, and arrays beside it.

Nothing is pickled. What a shelf takes: numbers, text, None, tuples, lists, dictionaries, NumPy arrays of
numbers, Arrow arrays, and the frozen dataclasses and schema parts of this package. Anything else, such as a
fitted classifier, is refused with `Unshareable`, and stays with the process that made it.
"""

from __future__ import annotations

import base64
import dataclasses
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import BaseModel

from understudy.errors import UnderstudyError

__all__ = ["Unshareable", "read", "write"]

TREE = "tree.json"
SMALL = 4_096  # bytes; a smaller array costs less inside the tree than as a file of its own
_OURS = "understudy."
_PLAIN = (str, bool, int, float, type(None))


class Unshareable(UnderstudyError):
    """A value that has no form on a shelf."""


def write(value: object, folder: Path) -> None:
    """Write a value into an empty folder, or refuse it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     write({"sums": np.arange(3), "pair": (1.5, "a")}, Path(place))
    ...     read(Path(place))
    {'sums': array([0, 1, 2]), 'pair': (1.5, 'a')}
    """
    (folder / TREE).write_text(json.dumps(_packed(value, folder)), encoding="ascii")


def read(folder: Path) -> Any:
    """Return a value; its large arrays stay in the files and cannot be written into."""
    text = (folder / TREE).read_text(encoding="ascii")
    # One NaN for all: two domains that hold it are equal only if it is the same object.
    tree = json.loads(text, parse_constant=lambda word: np.nan if word == "NaN" else float(word))
    return _unpacked(tree, folder)


def _packed(value: object, folder: Path) -> Any:
    if type(value) in _PLAIN:
        return value
    if isinstance(value, np.ndarray | np.generic):
        return _packed_array(np.asarray(value), isinstance(value, np.generic), folder)
    if isinstance(value, pa.Array):
        return {"arrow": _packed_arrow(value, folder)}
    if type(value) in {list, tuple}:
        assert isinstance(value, list | tuple), "just looked"
        return {type(value).__name__: [_packed(each, folder) for each in value]}
    if type(value) is dict:
        return {"dict": [[_packed(key, folder), _packed(each, folder)] for key, each in value.items()]}
    return _packed_object(value, folder)


def _unpacked(tree: Any, folder: Path) -> Any:
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    if kind == "dict":
        return {_unpacked(key, folder): _unpacked(each, folder) for key, each in content}
    if kind in {"list", "tuple"}:
        values = [_unpacked(each, folder) for each in content]
        return values if kind == "list" else tuple(values)
    if kind == "arrow":
        with pa.memory_map(str(folder / content)) as file:
            return pa.ipc.open_file(file).read_all().column(0).combine_chunks()
    return _unpacked_array(kind, content, folder) if kind in _ARRAYS else _unpacked_object(content, folder)


_ARRAYS = {"file", "bytes", "number"}


def _packed_array(values: npt.NDArray[Any], scalar: bool, folder: Path) -> Any:
    if values.dtype.kind not in "biuf":
        raise Unshareable(f"shelf: an array of {values.dtype} has no form here.")
    if values.nbytes > SMALL and values.ndim:
        name = f"{_count(folder)}.npy"
        np.save(folder / name, values, allow_pickle=False)
        return {"file": name}
    whole = np.ascontiguousarray(values)
    text = base64.b64encode(whole.tobytes()).decode()
    return {"number" if scalar else "bytes": [values.dtype.str, list(values.shape), text]}


def _unpacked_array(kind: str, content: Any, folder: Path) -> Any:
    if kind == "file":
        # The plain view: functions that look at the type of an array need not know that it is mapped.
        return np.asarray(np.lib.format.open_memmap(folder / content, mode="r"))
    dtype, shape, text = content
    values = np.frombuffer(base64.b64decode(text), dtype=np.dtype(dtype)).reshape(shape)
    return values[()] if kind == "number" else values


def _packed_arrow(values: pa.Array, folder: Path) -> str:
    name = f"{_count(folder)}.arrow"
    table = pa.table({"values": values})
    with pa.OSFile(str(folder / name), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return name


def _packed_object(value: object, folder: Path) -> Any:
    kind = type(value)
    name = f"{kind.__module__}:{kind.__qualname__}"
    if kind.__module__.startswith(_OURS) and isinstance(value, BaseModel):
        return {"object": [name, value.model_dump(mode="json")]}
    if kind.__module__.startswith(_OURS) and dataclasses.is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {"object": [name, _packed(parts, folder)]}
    raise Unshareable(f"shelf: {kind.__name__} has no form here.")


def _unpacked_object(content: Any, folder: Path) -> Any:
    name, parts = content
    module, _, path = name.partition(":")
    kind: Any = importlib.import_module(module)
    for word in path.split("."):
        kind = getattr(kind, word)
    return kind.model_validate(parts) if issubclass(kind, BaseModel) else kind(**_unpacked(parts, folder))


def _count(folder: Path) -> int:
    return sum(1 for _ in folder.iterdir())
