"""Which recipes federate, and how terms become the recipe that a site trains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from understudy import synth
from understudy.check import rule_of
from understudy.errors import ParameterError
from understudy.federated.terms import Terms
from understudy.model.recipe import Recipe
from understudy.model.torch_extra import require_torch
from understudy.model.tree_fit import TreeFit

if TYPE_CHECKING:
    from understudy.model.neural_fit import Method

__all__ = ["Networks", "Trees", "federating", "method_of", "recipe_for", "settings_together", "tree_of"]

_PACE = ("steps", "diffusion_steps", "noisy_steps")
# Settings of networks that would be without effect: what terms say is said there, for all sites alike.
_BY_TERMS = {**dict.fromkeys(_PACE, "rounds and local_steps"), "rate": "rate"}
_NO_PART = (
    "device",
    "few",
    "epochs",
    "aside",
    "validation",
    "every",
    "patience",
    "teacher_rows",
    "teacher_steps",
)
# Terms of updates; a tree needs none.
_ADAPTIVE = ("beta1", "beta2", "tau")
_OF_UPDATES = ("rounds", "local_steps", "rate", "batch", "clip", "least_noise", "strategy", "server_lr",
               *_ADAPTIVE, "pull", "limit")  # fmt: skip
_USUAL = {each.name: each.default for each in fields(Terms)}
# Forms that read rows through their stages alone, with the encoder that all sites share.
_FORMS = {"guarantee": ("sound", "decoder_only"), "numbers": ("ranks", "drawn", "means")}


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

    Settings and terms that would be without effect are refused, where they are other than usual.

    >>> recipe_for(Terms("findiff", {}, rounds=4, local_steps=5), rate=0.2).noisy_steps
    20
    """
    kind = synth.get(terms.recipe)
    if not _federates(kind):
        raise ParameterError(
            f"{terms.recipe}: this recipe does not federate; take one of {', '.join(federating())}."
        )
    own = set(kind().settings())
    told: dict[str, Any] = dict(terms.settings)
    if unknown := set(told) - own:
        raise ParameterError(f"{terms.recipe}: there is no setting {sorted(unknown)[0]!r}.")
    if issubclass(kind, Networks):
        require_torch("federate")  # before anything is asked, or paid for
        _refuse_settings(terms)
        told |= dict.fromkeys(own.intersection(_PACE), terms.steps)
        told |= {"rate": rate} if "rate" in own else {}
        told |= {"batch": terms.batch} if terms.batch and "batch" in own else {}
    _refuse_terms(terms, trees=not issubclass(kind, Networks))
    made = kind(**told)
    _refuse_forms(made)
    return made


def federating() -> tuple[str, ...]:
    """Return the names of the recipes that federate.

    >>> "mst" in federating(), "ctgan" in federating()
    (True, False)
    """
    return tuple(name for name in synth.names() if _federates(synth.get(name)))


def _federates(kind: type[Recipe]) -> bool:
    return issubclass(kind, Networks | Trees) and getattr(kind, "federates", True)


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


def settings_together(recipe: Recipe, terms: Terms, rows: Sequence[float]) -> dict[str, Any]:
    """Return the settings that sites of so many rows took together: with a batch, each had its own rate."""
    settings = recipe.settings()
    if terms.private and terms.batch and "rate" in settings:
        share = sum(min(each, terms.batch) for each in rows) / sum(rows)  # of all rows in one step
        settings["rate"] = min(max(share, 1e-6), 1.0)
    return settings


def _refuse_settings(terms: Terms) -> None:
    for name in terms.settings:
        by = "batch" if name == "batch" and terms.batch else _BY_TERMS.get(name)
        if by is not None:
            raise ParameterError(
                f"{terms.recipe}: in a federation {name} follows from the terms ({by}); leave it out."
            )
        if name in _NO_PART:
            raise ParameterError(f"{terms.recipe}: in a federation {name} has no part; leave it out.")


def _refuse_terms(terms: Terms, *, trees: bool) -> None:
    for name, where in _unused(terms, trees=trees):
        if getattr(terms, name) != _USUAL[name]:
            raise ParameterError(f"{terms.recipe}: {where} the term {name} has no part; leave it out.")


def _unused(terms: Terms, *, trees: bool) -> Iterator[tuple[str, str]]:
    """Yield the terms without effect, and where that is so."""
    if trees:
        yield from ((name, "for a tree of marginals") for name in _OF_UPDATES)
        return
    if not terms.private:
        yield from ((name, "without a budget") for name in ("clip", "least_noise", "rate"))
    if terms.batch:
        yield "rate", "beside batch"
    if terms.strategy != "fedprox":
        yield "pull", f"with {terms.strategy}"
    if terms.strategy not in ("fedadam", "fedyogi"):
        yield from ((name, f"with {terms.strategy}") for name in _ADAPTIVE)


def _refuse_forms(recipe: Recipe) -> None:
    """Refuse forms that read rows beside their stages, or need an encoder of their own."""
    settings = recipe.settings()
    for name, forms in _FORMS.items():
        if name in settings and isinstance(recipe, Networks) and settings[name] not in forms:
            rule = rule_of(type(recipe), name)
            good = " or ".join(form for form in forms if rule.accepts(form))
            raise ParameterError(
                f"{recipe.name()}: in a federation {name} must be {good}; got {settings[name]!r}."
            )
