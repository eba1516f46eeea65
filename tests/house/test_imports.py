import json
import subprocess
import sys

import pytest

SLOW = ["torch", "sklearn", "pandas", "scipy.stats", "polars", "duckdb", "sqlalchemy", "matplotlib"]
LOADED = "\nprint(__import__('json').dumps([m for m in {slow!r} if m in __import__('sys').modules]))"
TIMED = "import time; start = time.perf_counter(); import understudy; seconds = time.perf_counter() - start"
HELP = """
import contextlib, io, runpy, sys
sys.argv = ["understudy", "--help"]
with contextlib.redirect_stdout(io.StringIO()) as said:
    try:
        runpy.run_module("understudy", run_name="__main__")
    except SystemExit as stop:
        assert not stop.code
assert "synthesize" in said.getvalue()
"""


def run(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code + LOADED.format(slow=SLOW)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_importing_understudy_loads_nothing_slow():
    seconds, loaded = run(TIMED + "; print(seconds)")
    print(f"import understudy: {float(seconds):.2f} s")
    assert json.loads(loaded) == []


def test_asking_for_help_loads_nothing_slow():
    assert json.loads(run(HELP)[-1]) == []


@pytest.mark.parametrize("module", ["torch", "sklearn", "pandas"])
def test_the_probe_sees_a_slow_module_when_there_is_one(module):
    code = f"import sys; sys.modules[{module!r}] = sys"
    assert json.loads(run(code)[-1]) == [module]
