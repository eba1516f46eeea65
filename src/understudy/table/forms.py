"""How the cells of a column were written, kept beside its type so that they can be written so again.

A CSV file says more than a type does: `12.50` has two decimals, `TRUE` is in capitals, a moment has
a `T` or a blank in the middle. The reader notes that as metadata of the Arrow field, the schema
carries it as `form`, and the writer obeys it.
"""

from __future__ import annotations

import pyarrow as pa

__all__ = ["form_of", "metadata_of"]

_PREFIX = b"understudy."


def form_of(field: pa.Field) -> dict[str, str] | None:
    """Return the form noted on a field, without our prefix; None when there is none.

    >>> form_of(pa.field("paid", pa.float64(), metadata={"understudy.decimals": "2"}))
    {'decimals': '2'}
    """
    noted = {k: v for k, v in (field.metadata or {}).items() if k.startswith(_PREFIX)}
    return {key.removeprefix(_PREFIX).decode(): value.decode() for key, value in noted.items()} or None


def metadata_of(form: dict[str, str] | None) -> dict[bytes, bytes] | None:
    """Return the field metadata that `form_of` reads.

    >>> metadata_of({"decimals": "2"})
    {b'understudy.decimals': b'2'}
    """
    return {_PREFIX + key.encode(): value.encode() for key, value in form.items()} if form else None
