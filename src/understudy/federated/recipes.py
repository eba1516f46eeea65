"""Which recipes federate, and how terms become the recipe that a site trains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from understudy import synth
from understudy.errors import ParameterError
from understudy.federated.terms import Terms
from understudy.model.recipe import Recipe
from understudy.model.torch_extra import require_torch
from understudy.model.tree_fit import TreeFit

if TYPE_CHECKING:
    from understudy.model.neural_fit import Method

__all__ = ["Networks", "Trees", "method_of", "recipe_for", "tree_of"]

_PACE = ("steps", "diffusion_steps", "noisy_steps")
_TWICE = {"guarantee": ("sound", "decoder_only"), "numbers": ("ranks", "drawn", "means")}


@runtime_checkable
class Networks(Protocol):
    """A recipe that trains networks through a `Fit`: what every neural recipe here can do."""

    def method(self, *, noisy: bool) -> Method:
        """Return the learner and how its stages are trained."""


@runtime_checkable
class Trees(Protocol):
    """A recipe that learns a tree of marginals: mst."""

    def tree(self) -> TreeFit:
        """Return how the tree is learned."""


def recipe_for(terms: Terms, rate: float) -> Recipe:
    """Return the recipe of the terms at one site: all rounds are one plan, at the site's own rate.

    >>> recipe_for(Terms("findiff", {}, rounds=4, local_steps=5), rate=0.2).noisy_steps
    20
    """
    kind = synth.get(terms.recipe)
    if not issubclass(kind, Networks | Trees) or not getattr(kind, "federates", True):
        raise ParameterError(
            f"{terms.recipe}: this recipe does not federate; networks that are trained alone do (findiff, "
            "tabddpm, tldm, tvae and others), and mst."
        )
    own = set(kind().settings())
    told: dict[str, Any] = dict(terms.settings)
    if unknown := set(told) - own:
        raise ParameterError(f"{terms.recipe}: there is no setting {sorted(unknown)[0]!r}.")
    if issubclass(kind, Networks):
        require_torch("federate")  # before anything is asked, or paid for
        told |= dict.fromkeys(own.intersection(_PACE), terms.steps)
        told |= {"rate": rate} if "rate" in own else {}
        told |= {"batch": terms.batch} if terms.batch and "batch" in own else {}
    made = kind(**told)
    _refuse_forms(made)
    return made


def method_of(recipe: Recipe, *, noisy: bool) -> Method:
    """Return how a recipe trains; refuse one that trains no networks."""
    if not isinstance(recipe, Networks):
        raise ParameterError(f"{recipe.name()}: this recipe trains no networks through a vault.")
    return recipe.method(noisy=noisy)


def tree_of(recipe: Recipe) -> TreeFit:
    """Return how a recipe learns a tree of marginals; refuse one that learns none."""
    if not isinstance(recipe, Trees):
        raise ParameterError(f"{recipe.name()}: this recipe learns no tree of marginals.")
    return recipe.tree()


def _refuse_forms(recipe: Recipe) -> None:
    """Refuse forms that read rows beside their stages, or need an encoder of their own."""
    settings = recipe.settings()
    for name, good in _TWICE.items():
        if name in settings and isinstance(recipe, Networks) and settings[name] not in good:
            raise ParameterError(
                f"{recipe.name()}: in a federation {name} must be one of {', '.join(good)}; "
                f"got {settings[name]!r}."
            )
