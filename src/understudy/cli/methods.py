"""understudy methods: the synthesizers there are."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from understudy.cli import options, screen

if TYPE_CHECKING:
    from understudy.model.recipe import Recipe

__all__ = ["methods"]


def methods(*, as_json: options.AsJson = False) -> None:
    """List the synthesizers, and the settings of each."""
    from understudy import synth

    recipes = {name: synth.get(name) for name in synth.names()}
    if as_json:
        screen.show_json({"methods": [_tree(name, recipe) for name, recipe in recipes.items()]})
        return
    screen.show_table(
        ("method", "what it does"), [(name, recipe.summary()) for name, recipe in recipes.items()]
    )
    settings = [
        (name, f"--set {key['name']}={key['default']}".lower(), key["range"])
        for name, recipe in recipes.items()
        for key in _settings(recipe)
    ]
    print()
    screen.show_table(("method", "setting and its default", "takes"), settings)


def _tree(name: str, recipe: type[Recipe]) -> dict[str, Any]:
    return {
        "name": name,
        "summary": recipe.summary(),
        "private": recipe.private,
        "settings": _settings(recipe),
    }


def _settings(recipe: type[Recipe]) -> list[dict[str, Any]]:
    fields = dataclasses.fields(recipe)  # type: ignore[arg-type]
    return [{"name": f.name, "default": f.default, "range": str(f.metadata["rule"])} for f in fields]
