"""A budget as text: a JSON object with epsilon and delta, or with a number of another measure.

{"epsilon": 1, "delta": 1e-9}   {"gdp": 0.36}   {"separation": 0.1}   {"zcdp": 0.05}   {"advantage": 0.1}
"""

from __future__ import annotations

import json
import math
from typing import Any

from understudy.errors import BudgetError, ParameterError
from understudy.privacy.budget import Budget

__all__ = ["budget_in", "budget_of", "said_of", "tree_of"]

_OTHERS = {
    "gdp": Budget.gdp,
    "separation": Budget.separation,
    "zcdp": Budget.zcdp,
    "advantage": Budget.advantage,
}
_NAMES = {"mu": "gdp", "separation": "separation", "rho": "zcdp", "advantage": "advantage"}
_HOW = f'a JSON object, {{"epsilon": 1, "delta": 1e-9}}, or a number under one of {", ".join(_OTHERS)}'


def budget_of(text: str, who: str) -> Budget | None:
    """Return the budget that a text holds; none if there is no text.

    >>> budget_of('{"epsilon": 1, "delta": 1e-6}', "mds").delta, budget_of("", "mds")
    (1e-06, None)
    """
    if not text.strip():
        return None
    try:
        tree = json.loads(text, object_pairs_hook=lambda pairs: _once(pairs, who))
    except (ValueError, RecursionError):  # a number of too many digits is a ValueError too
        raise ParameterError(f"{who}: budget must be {_HOW}; this is no JSON.") from None
    return budget_in(tree, who)


def _once(pairs: list[tuple[str, Any]], who: str) -> dict[str, Any]:
    """Return an object that says nothing twice."""
    tree = dict(pairs)
    if len(tree) < len(pairs):
        raise ParameterError(f"{who}: budget must be {_HOW}; a word is there twice.")
    return tree


def budget_in(tree: Any, who: str) -> Budget:
    """Return the budget that a JSON object tells.

    >>> budget_in({"gdp": 0.5}, "mds").measure
    'mu'
    """
    if not isinstance(tree, dict):
        raise ParameterError(f"{who}: budget must be {_HOW}; got {type(tree).__name__}.")
    words = set(tree)
    try:
        if "epsilon" in words and words <= {"epsilon", "delta"}:
            return Budget(**{word: _number(value) for word, value in tree.items()})
        if len(words) == 1 and words <= set(_OTHERS):
            ((word, value),) = tree.items()
            return _OTHERS[word](_number(value))
    except BudgetError as error:
        raise ParameterError(f"{who}: budget must be {_HOW}; {error}") from None
    raise ParameterError(f"{who}: budget must be {_HOW}; got the words {', '.join(sorted(words)) or 'none'}.")


def tree_of(budget: Budget) -> dict[str, float]:
    """Return the JSON object of a budget: the same one for all ways to write it.

    >>> tree_of(Budget(epsilon=1)), tree_of(Budget.zcdp(0.05))
    ({'epsilon': 1.0, 'delta': 1e-09}, {'zcdp': 0.05})
    """
    amount = float(budget.amount or 0.0)
    if budget.measure == "epsilon":
        return {"epsilon": amount, "delta": float(budget.delta)}
    return {_NAMES[budget.measure]: amount}


def said_of(budget: Budget) -> str:
    """Return a budget in words.

    >>> said_of(Budget(epsilon=1)), said_of(Budget.gdp(0.5))
    ('epsilon 1 at delta 1e-09', 'mu 0.5')
    """
    said = f"{budget.measure} {budget.amount:g}"
    return f"{said} at delta {budget.delta:g}" if budget.measure == "epsilon" else said


def _number(value: Any) -> Any:
    """Return a number as a float; whatever is none, `Budget` refuses in its own words."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return math.inf
