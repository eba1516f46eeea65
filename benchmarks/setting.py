"""What the benchmarks share: the data folder, the peer environment, and how a ratio is printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DATASETS = Path(os.environ.get("UNDERSTUDY_DATASETS", HERE.parent.parent / "shared" / "datasets"))
PEERS = Path(os.environ.get("UNDERSTUDY_PEERS", HERE.parent / ".venv-peers"))


def dataset(name: str) -> Path:
    """Return the path of a real table, or end the benchmark with the reason why it cannot run."""
    path = DATASETS / f"{name}.csv.gz"
    if not path.exists():
        print(f"skipped: {name} is not in {DATASETS.name}/")
        sys.exit(0)
    return path


def settings_of(pairs: list[str]) -> dict[str, Any]:
    """Return the settings of key=value arguments."""
    return {key: json.loads(value) for key, value in (pair.split("=", 1) for pair in pairs)}


def peer(script: str, *arguments: str, needs: str = "peers") -> dict[str, Any]:
    """Run a script of benchmarks/peers in the environment it needs, and return what it printed."""
    python = _environment(needs) / "bin" / "python"
    command = [str(python), str(HERE / "peers" / script), *arguments]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result: dict[str, Any] = json.loads(printed.strip().splitlines()[-1])
    return result


def _environment(needs: str) -> Path:
    """Return an environment with what `peers/requirements.txt`, or one named after it, lists."""
    place = PEERS if needs == "peers" else PEERS.with_name(f"{PEERS.name}-{needs}")
    if not (place / "bin" / "python").exists():
        print("setting up the peer environment (once) ...")
        venv.create(place, with_pip=True)
        file = "requirements.txt" if needs == "peers" else f"requirements-{needs}.txt"
        # One at a time: torch pinned first, so that the peers find it and fetch no other build.
        for line in (HERE / "peers" / file).read_text().splitlines():
            if line and not line.startswith("#"):
                subprocess.run(
                    [place / "bin" / "python", "-m", "pip", "install", "--quiet", line], check=True
                )
    return place


def ratio(what: str, ours: float, theirs: float, wanted: str) -> None:
    """Print one comparison as a ratio; above 1 means that understudy is faster or smaller."""
    print(f"{what:<46} {ours:9.3f} {theirs:9.3f}   {theirs / ours:6.1f}x   (wanted: {wanted})")
