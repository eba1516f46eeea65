"""An audit of epsilon itself: a claim that does not hold is refuted, and one that holds is not.

DP-TLDM as published protects its autoencoder and trains its diffusion on the rows themselves. At separation
0.1 that is claimed to allow mu = 0.356. Canaries are put into small tables by the throw of a coin each; the
diffusion knows those that were in so well that they can be told from the others.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import understudy as us
from understudy.attacks.epsilon_audit import EpsilonAudit

# A small model that learns few rows by heart, in a second or less.
SMALL = (
    "latent=32,width=64,depth=1,noisy_steps=3,rate=1.0,noisy_lr=0.3,diffusion_steps=80,"
    "batch=64,ema=0.9,sampling_steps=10,beta=0.0,draws=4"
)


def main() -> None:
    """Audit the published form and the one that holds."""
    rng = np.random.default_rng(0)
    table = pa.table({f"answer {number}": rng.choice(list("abcdefgh"), 64) for number in range(6)})
    evidence = us.Evidence(train=table, synthetic=table)
    for guarantee in ("paper", "sound"):
        audit = EpsilonAudit(
            recipe="tldm",
            settings=f"guarantee={guarantee},{SMALL}",
            separation=0.1,
            canaries=2,
            tables=40,
            rows=1,
        )
        found = audit(evidence, seed=0)
        right, guesses = (int(found.parts[part]) for part in ("right", "guesses"))
        print(
            f"{guarantee}: {right} of {guesses} guesses were right, so epsilon is at least {found.value:.2f}"
        )
        verdict = "REFUTED" if found.parts["exceeds"] else "not refuted"
        print(f"  claimed: at most {found.parts['allowed']:.2f} at delta 1e-5: {verdict}")
        tpr, most = (found.parts[f"{part}_at_fpr_0.1"] for part in ("tpr", "ceiling"))
        print(f"  with 10 % false alarms {tpr:.0%} of the canaries are found; claimed: at most {most:.0%}")


if __name__ == "__main__":
    main()
