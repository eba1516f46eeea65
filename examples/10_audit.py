"""An audit: a stand-in that is harmless, one that is a copy, and the reports about both."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import understudy as us
from understudy.table import builtin


def main() -> None:
    """Judge two stand-ins by the default policy, and write the reports."""
    people = builtin.load("people", rows=450).to_pandas()
    train, holdout = people[:300], people[300:]  # the second part is never learned from
    stand_in = us.synth.get("histogram")().fit(train, progress=False).sample(len(train), seed=0)

    audit = us.audit(train=train, synthetic=[stand_in, train], holdout=holdout, level="quick", progress=False)
    for candidate in audit.candidates:
        print(f"{candidate.name}: {candidate.standing}")
        for line in candidate.lines:
            print(f"  {line.verdict:10} {line.what:28} {line.asks:42} {line.found}")

    with TemporaryDirectory() as folder:
        written = audit.save(Path(folder) / "audit")
        print(*sorted(path.name for path in written.iterdir()))


if __name__ == "__main__":
    main()
