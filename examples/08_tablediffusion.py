"""TableDiffusion within a budget: each row pays for one gradient, the mean over all levels of noise."""

from __future__ import annotations

import understudy as us
from understudy.synth.tablediffusion import TableDiffusion
from understudy.table import builtin


def main() -> None:
    """Fit within (epsilon, delta), read what was paid for, and fill gaps."""
    people = builtin.load("people", rows=2_000).to_pandas()
    people = people[["age", "sex", "education", "sector", "income", "member"]]

    # Full batches: how much noise sampled ones need takes some seconds to find.
    recipe = TableDiffusion(width=32, noisy_steps=30, rate=1.0)
    model = recipe.fit(people, budget=us.Budget(epsilon=3.0, delta=1e-6), progress=False)
    print(f"{model.certificate.status}: epsilon {model.certificate.epsilon(delta=1e-6):.3f} at delta 1e-6")
    for entry in model.certificate.entries:
        print(f"- {entry.what}: {entry.event}")

    print(model.sample(5, seed=0))
    filled = model.impute(people.head(200), seed=1)
    print(f"missing cells: {people.head(200).isna().sum().sum()}, filled: {filled.isna().sum().sum()} left")


if __name__ == "__main__":
    main()
