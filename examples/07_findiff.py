"""FinDiff: levels become points that noise can move, placed in one of three ways."""

from __future__ import annotations

from understudy.synth.findiff import FinDiff
from understudy.table import builtin


def main() -> None:
    """Fit each way for a few steps, then draw rows around a known cell."""
    people = builtin.load("people", rows=2_000).to_pandas()
    people = people[["age", "sex", "education", "sector", "town", "income", "member"]]

    # The defaults take a minute for 30,000 rows; these take seconds, and are rough.
    for embedding in ("random", "learned", "spread"):
        recipe = FinDiff(embedding=embedding, width=64, steps=80, batch=128, sampling_steps=10, ema=0.9)
        model = recipe.fit(people, seed=0, progress=False)
        drawn = model.sample(500, seed=1)
        print(f"{embedding} points: mean age {drawn['age'].mean():.1f}, real {people['age'].mean():.1f}")

    print(model.sample(3, seed=2, where={"sector": "farming"}))
    print(f"as in the papers: {FinDiff.paper()}")


if __name__ == "__main__":
    main()
