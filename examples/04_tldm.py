"""Diffusion of latents within a budget, in a form that holds, and in the form that was published."""

from __future__ import annotations

import understudy as us
from understudy.synth.tldm import TLDM
from understudy.table import builtin


def main() -> None:
    """Fit two forms of DP-TLDM and read what each certificate says."""
    people = builtin.load("people", rows=2_000).to_pandas()
    people = people.drop(columns=["person_id", "country", "fax"])
    budget = us.Budget(epsilon=3.0, delta=1e-6)

    # Small settings, so that this ends in seconds; the defaults take longer and do better.
    small = {"latent": 4, "width": 32, "depth": 1, "noisy_steps": 20, "diffusion_steps": 50, "rate": 0.2}
    for guarantee in ("sound", "paper"):
        model = TLDM(guarantee=guarantee, **small).fit(people, budget=budget, progress=False)
        print(f"{guarantee}: {model.certificate.status}, epsilon {model.certificate.epsilon(1e-6):.2f}")
        for name, status in us.privacy.certificate.statuses(model.certificate).items():
            print(f"- {name}: {status}")
    print(model.sample(3, seed=0))


if __name__ == "__main__":
    main()
