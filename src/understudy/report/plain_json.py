"""JSON that is safe wherever it is pasted: ASCII, no angle bracket, six digits."""

from __future__ import annotations

import json
import math
from typing import Any

__all__ = ["pasteable", "rounded", "whole_text"]

_DIGITS = 6
# A name like </script> ends a script that quotes the file; so spelled, it is the same text to any reader.
_SPELLED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def pasteable(tree: Any) -> str:
    r"""Return JSON text of plain values.

    >>> print(pasteable({"name": "</script>"}), end="")
    {
     "name": "\u003c/script\u003e"
    }
    """
    text = json.dumps(tree, indent=1, ensure_ascii=True, allow_nan=False)
    for sign, spelled in _SPELLED.items():
        text = text.replace(sign, spelled)
    return text + "\n"


def rounded(value: float | None) -> float | None:
    """Return a number with six significant digits; what is undefined or infinite is None.

    >>> rounded(0.123456789), rounded(float("nan")), rounded(None)
    (0.123457, None, None)
    """
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{_DIGITS}g}")


def whole_text(text: str) -> str:
    r"""Return the text with lone surrogates, which no UTF-8 file can hold, spelled out.

    >>> print(whole_text("a\udc80"))
    a\udc80
    """
    return text.encode("utf-8", "backslashreplace").decode()
