"""Seconds that `import understudy` and `understudy --help` take, and the size of a core install."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ("torch", "sklearn", "pandas", "scipy", "pyarrow")


def main() -> None:
    """Print medians of five starts, then make a core install from nothing and count it."""
    print(f"{'bare python':<28} {seconds('pass'):.3f} s")
    print(f"{'import understudy':<28} {seconds('import understudy'):.3f} s   (wanted: under 0.5)")
    print(f"{'understudy --help':<28} {help_seconds():.3f} s   (wanted: under 0.5)")
    code = f"import sys, understudy; print([m for m in {HEAVY!r} if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    print(f"{'heavy modules loaded':<28} {loaded.strip()}")
    core_install()


def seconds(code: str) -> float:
    """Return the median time of a fresh interpreter that runs `code`."""
    return timed([sys.executable, "-c", code])


def help_seconds() -> float:
    """Return the median time of the command's help page."""
    return timed([sys.executable, "-m", "understudy", "--help"])


def timed(command: list[str]) -> float:
    """Return the median wall time of five runs."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def core_install() -> None:
    """Install the package without extras into an empty environment; print seconds and distributions."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        start = time.perf_counter()
        command = [python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", ROOT]
        subprocess.run([str(part) for part in command], check=True, capture_output=True)
        took = time.perf_counter() - start
        names = "{d.name for d in importlib.metadata.distributions()} - {'pip', 'setuptools'}"
        code = f"import importlib.metadata; print(len({names}))"
        count = subprocess.run(
            [str(python), "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
    print(f"{'core install':<28} {took:.1f} s, {count} distributions   (wanted: under 40)")


if __name__ == "__main__":
    main()
