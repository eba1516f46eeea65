"""Tables of one law and stand-ins for them: a copy, a fresh draw, half of either; small enough for tests."""

import numpy as np
import pandas as pd
import pytest

from understudy import attacks, metrics
from understudy.study import judge

ROWS = 240


def law(seed, rows=ROWS):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    return pd.DataFrame(
        {
            "age": np.clip(np.rint(40 + 12 * x), 18, 90),
            "income": np.round(np.exp(10 + 0.4 * x + 0.3 * rng.normal(size=rows)), 2),
            "town": rng.choice(["north", "south", "west"], rows, p=[0.5, 0.3, 0.2]),
            "weight": rng.normal(70, 9, rows),
            "smoker": rng.random(rows) < 0.25,
        }
    )


def tables(kind="fresh"):
    """Return train, holdout and synthetic tables."""
    train, fresh = law(0), law(1)
    half = ROWS // 2
    synthetic = {"copy": train, "fresh": fresh, "half": pd.concat([train[:half], fresh[:half]])}[kind]
    return {"train": train, "holdout": law(2), "synthetic": synthetic}


@pytest.fixture
def few(monkeypatch):
    """Let audits run a handful of quick measures: what is tested is what is made of them."""
    names = ("gan_leaks", "dpi", "linkability", "identical_match")
    chosen = [metrics.get("missingness")()], [attacks.get(name)() for name in names]
    monkeypatch.setattr(judge, "programme", lambda *_: chosen)
    monkeypatch.setitem(judge._POINTS, "quick", 20)
