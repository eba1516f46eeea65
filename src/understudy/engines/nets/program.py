"""Functions of tensors as programs, which torch runs from the first line to the last without Python.

Python's lock is with one thread at a time, and each call of torch's takes it up again: of two halves of a
batch, each on a core of its own, one waits for the other between any two calls (a step of `tvae.paper()`:
2.1 ms in place of 1.5). A program takes the lock when it is done.

These programs are TorchScript, made of a function's source, which torch keeps and no longer extends, and does
not make on Python 3.14 and later. There, and where there is no source, a function stays what it is: what is
learned is the same, and takes longer.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import cache
from typing import ParamSpec, TypeVar

import torch

__all__ = ["program"]

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")
_NO_LONGER = (3, 14)


@cache
def program(function: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """Return what computes the same; arguments go by their places.

    >>> program(torch.nn.functional.silu)(torch.zeros(1))
    tensor([0.])
    """
    if sys.version_info >= _NO_LONGER:
        return function
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            made: Callable[_Given, _Made] = torch.jit.script(function)
        except OSError:  # no source, as in a program that was packed without it
            return function
    return made
