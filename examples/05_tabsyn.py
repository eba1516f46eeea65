"""TabSyn: a latent for every cell, and a diffusion of latents; rows, rows by condition, the paper's sizes."""

from __future__ import annotations

from dataclasses import replace

import understudy as us
from understudy.table import builtin


def main() -> None:
    """Fit small networks, look at rows, and at rows given one of their columns."""
    people = builtin.load("people", rows=2_000).to_pandas()
    people = people[["sex", "age", "income", "member"]]

    recipe = us.synth.get("tabsyn")(width=64, depth=1, steps=200, diffusion_steps=300, batch=256)
    model = recipe.fit(people, seed=0)
    print(model.sample(5, seed=0))
    print(model.sample(5, seed=0, where={"member": True}))

    # The paper's own sizes are a preset; they are made for a device and hours.
    paper = us.synth.get("tabsyn").paper()
    print(
        replace(paper, steps=10, diffusion_steps=10, batch=64).fit(people.head(200), seed=0).sample(3, seed=0)
    )


if __name__ == "__main__":
    main()
