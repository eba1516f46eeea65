"""The pages about testing one's own synthesizer and measure hold code that runs as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path

from understudy.testing import measures
from understudy.testing.suite import FAMILIES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "test-your-own-synthesizer.md"
MEASURE_PAGE = PAGE.with_name("test-your-own-measure.md")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


def run(folder, *arguments):
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_block_of_the_page_runs(tmp_path):
    recipe, suite, test, loading = BLOCKS
    (tmp_path / "shuffle.py").write_text(recipe, encoding="utf-8")
    (tmp_path / "whole.py").write_text(suite + loading, encoding="utf-8")
    (tmp_path / "test_shuffle.py").write_text(test, encoding="utf-8")
    run(tmp_path, "-W", "error", "whole.py")
    shown = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_shuffle.py")
    assert re.search(r"\d\d passed", shown)


def test_the_page_explains_every_family():
    table = re.findall(r"^\| (\w+) \|", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert table == ["family", *FAMILIES]


def test_every_block_of_the_measure_page_runs(tmp_path):
    page = MEASURE_PAGE.read_text(encoding="utf-8")
    measure, suite = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    (tmp_path / "mean_gap.py").write_text(measure, encoding="utf-8")
    (tmp_path / "whole.py").write_text(suite, encoding="utf-8")
    run(tmp_path, "-W", "error", "whole.py")


def test_the_measure_page_explains_every_family():
    table = re.findall(r"^\| (\w+) \|", MEASURE_PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert table == ["family", *measures.FAMILIES]
