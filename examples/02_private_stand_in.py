"""The same within a budget: nothing is learned from the rows that is not paid for."""

from __future__ import annotations

import understudy as us
from understudy.table import builtin


def main() -> None:
    """Fit within (epsilon, delta) and read the certificate."""
    people = builtin.load("people", rows=20_000).to_pandas()
    people = people.drop(columns=["person_id", "country", "fax"])

    budget = us.Budget(epsilon=1.0, delta=1e-9)
    model = us.synth.get("gaussian_copula")().fit(people, budget=budget)
    certificate = model.certificate

    print(f"{certificate.status}: epsilon {certificate.epsilon(delta=1e-9):.3f} at delta 1e-9")
    print(f"an attacker with 1 % false alarms finds at most {certificate.tradeoff(0.01):.1%} of the members")
    for entry in certificate.entries:
        print(f"- {entry.what}: {entry.event}")
    print(model.sample(5, seed=0))


if __name__ == "__main__":
    main()
