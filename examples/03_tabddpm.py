"""TabDDPM: a network that takes noise away, given a label; rows drawn by condition, and gaps filled."""

from __future__ import annotations

import understudy as us
from understudy.table import builtin


def main() -> None:
    """Fit a small network, draw rows of one label, and fill the cells that are missing."""
    people = builtin.load("people", rows=3_000).to_pandas()
    people = people.drop(columns=["person_id", "country", "fax"])

    recipe = us.synth.get("tabddpm")(label="sex", layers="64,64", entry=64, steps=200, batch=256)
    model = recipe.fit(people)

    print(model.sample(5, seed=0, where={"sex": "female"}))
    few = people.head(8)
    gaps = [int(frame.isna().sum().sum()) for frame in (few, model.impute(few, seed=0))]
    print(f"{gaps[0]} cells were missing, and now {gaps[1]}")


if __name__ == "__main__":
    main()
