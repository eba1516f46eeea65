"""Checks: randomness comes from the seed and from nothing else."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from understudy.errors import ParameterError
from understudy.model.recipe import Recipe
from understudy.testing.fitting import Check, as_bytes, fit, fit_people, refused
from understudy.testing.tables import half_missing, people

__all__ = ["CHECKS", "global_states"]


def the_same_seed_gives_the_same_rows(recipe: Recipe) -> None:
    """Sampling twice with one seed gives the same bytes, whatever was sampled in between."""
    model = fit_people(recipe)
    first = as_bytes(model.sample(60, seed=11))
    model.sample(5, seed=12)
    assert as_bytes(model.sample(60, seed=11)) == first, "the same seed gave other rows"


def another_seed_gives_other_rows(recipe: Recipe) -> None:
    """Two seeds give different rows on a table with enough to choose from."""
    model = fit(recipe, half_missing(200))
    assert as_bytes(model.sample(60, seed=11)) != as_bytes(model.sample(60, seed=12)), (
        "two seeds gave the same rows"
    )


def two_fits_with_one_seed_give_the_same_rows(recipe: Recipe) -> None:
    """Fitting is decided by the seed as much as sampling is."""
    first, second = (fit(recipe, people(), seed=5).sample(60, seed=6) for _ in range(2))
    assert as_bytes(first) == as_bytes(second), "two fits with the same seed gave other rows"


def the_global_random_state_is_untouched(recipe: Recipe) -> None:
    """Neither numpy's, nor Python's, nor torch's global generator is read or set."""
    before = global_states()
    fit(recipe, people(), seed=7).sample(30, seed=8)
    after = global_states()
    changed = [name for name, state in before.items() if after[name] != state]
    assert not changed, f"the global generator of {', '.join(changed)} was used; draw from the given rng only"


def a_seed_that_is_no_whole_number_is_refused(recipe: Recipe) -> None:
    """Negative, broken and non-numeric seeds are refused, when fitting and when sampling."""
    model = fit_people(recipe)
    for seed in (-1, 1.5, "0", True, None, 2**200):
        given: Any = seed
        refused(lambda given=given: model.sample(1, seed=given), ParameterError, f"sample(seed={seed!r})")  # type: ignore[misc]
        refused(
            lambda given=given: fit(recipe, people(20), seed=given),  # type: ignore[misc]
            ParameterError,
            f"fit(seed={seed!r})",
        )


def global_states() -> dict[str, str]:
    """Return the states of the generators that nothing here may read or set."""
    # Looked up by name: the house forbids code that draws from these, and this only looks at them.
    states = {
        "numpy": repr(importlib.import_module("numpy.random").get_state()[1:]),
        "random": repr(importlib.import_module("random").getstate()),
    }
    torch = sys.modules.get("torch")
    if torch is not None:
        states["torch"] = repr(torch.get_rng_state().tolist())
    return states


CHECKS: tuple[Check, ...] = (
    the_same_seed_gives_the_same_rows,
    another_seed_gives_other_rows,
    two_fits_with_one_seed_give_the_same_rows,
    the_global_random_state_is_untouched,
    a_seed_that_is_no_whole_number_is_refused,
)
