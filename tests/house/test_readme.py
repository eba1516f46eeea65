import os
import re
import subprocess
import sys

import pytest

from house import readme

FIRST_SCREEN = readme.text().splitlines()[:60]
COMMANDS = [line for line in readme.shell_lines() if line.startswith("understudy ")]
PARTS = ["# understudy", "What it is not", "Recipe.fit", "```python", "make demo", "make test"]
FILES = {
    "synthesize",
    "fit",
    "sample",
    "schema",
    "impute",
    "verify",
}  # quick, and each uses what others wrote
TODAY = {
    "attacks",
    "impute",
    "audit",
    "demo",
    "synthesize",
    "fit",
    "sample",
    "schema",
    "methods",
    "metrics",
    "account",
    "federate",
    "verify",
    "doctor",
}


def run(arguments, folder):
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


@pytest.mark.parametrize("snippet", readme.blocks("python"), ids=lambda text: text.splitlines()[-1])
def test_every_python_snippet_runs(snippet, tmp_path):
    (tmp_path / "people.csv").write_text("age,sex\n31,F\n42,M\n53,F\n64,M\n75,F\n", encoding="utf-8")
    done = run(["-c", snippet], tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_first_snippet_is_twelve_lines():
    code = [line for line in readme.blocks("python")[0].splitlines() if line.strip()]
    assert len(code) == 12


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_and_every_flag_in_the_readme_exists(line, tmp_path):
    command = line.split()[1]
    done = run(["-m", "understudy", command, "--help"], tmp_path)
    assert done.returncode == 0, done.stderr
    for flag in re.findall(r"(?<!\S)--?[a-z][a-z-]*", line):
        assert re.search(rf"(?<![\w-]){flag}(?![\w-])", done.stdout), f"{command} has no {flag}"


def _people(first, last):
    rows = (f"{20 + row * 7 % 60},{'FM'[row % 3 % 2]},{1000 + row * 13 % 400}" for row in range(first, last))
    return "age,sex,income\n" + "\n".join(rows) + "\n"


def test_the_commands_that_write_and_read_files_run_in_the_order_in_which_they_stand(tmp_path, monkeypatch):
    from understudy.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(_people(0, 60), encoding="utf-8")
    (tmp_path / "holes.csv").write_text("age,sex,income\n31,,1010\n,F,1200\n", encoding="utf-8")
    ran = [line.split()[1:] for line in COMMANDS if line.split()[1] in FILES]
    assert {words[0] for words in ran} == FILES
    for words in ran:
        with pytest.raises(SystemExit) as stop:
            main(words)
        assert stop.value.code == 0, words


def test_the_readme_shows_every_command_of_today():
    assert {line.split()[1] for line in COMMANDS} == TODAY


@pytest.mark.parametrize(
    "part", ["# understudy", "What it is not", "Recipe.fit", "```python", "make demo", "make test"]
)
def test_the_first_screen_has_what_a_newcomer_needs(part):
    assert any(part in line for line in FIRST_SCREEN), f"{part} is not in the first {len(FIRST_SCREEN)} lines"


def test_every_target_that_the_readme_names_is_in_the_makefile():
    makefile = (readme.ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z-]+)", "\n".join(readme.shell_lines())))
    assert {"demo", "test", "check", "bench"} <= named
    assert named <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


def test_every_file_that_the_readme_links_to_is_there():
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", readme.text())
    assert links
    assert [link for link in links if not (readme.ROOT / link).exists()] == []
