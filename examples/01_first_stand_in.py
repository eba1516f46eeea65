"""A table in, a stand-in out: read, fit, sample, look, save."""

from __future__ import annotations

import tempfile
from pathlib import Path

import understudy as us
from understudy.table import builtin


def main() -> None:
    """Make a stand-in for the built-in table of people who do not exist."""
    folder = Path(tempfile.mkdtemp())
    builtin.load("people").write(folder / "people.csv")

    table = us.read(folder / "people.csv")
    model = us.synth.get("gaussian_copula")().fit(table, seed=0)
    stand_in = model.sample(1_000, seed=0)
    print(stand_in)

    # Conditions are exact: these rows are drawn, not searched for.
    retired = model.sample(5, seed=0, where={"age": (67, None), "member": True})
    print(retired.to_pandas()[["age", "member", "income"]])

    # Without a budget the rows were read as they are, and the certificate says so.
    print(model.certificate.status, [entry.what for entry in model.certificate.entries])

    model.save(folder / "model")
    again = us.load(folder / "model").sample(1_000, seed=0)
    assert again.to_arrow().equals(stand_in.to_arrow())


if __name__ == "__main__":
    main()
