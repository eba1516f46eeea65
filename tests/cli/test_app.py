import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from understudy.version import TOOL

COMMANDS = [
    "demo",
    "synthesize",
    "fit",
    "sample",
    "impute",
    "schema",
    "methods",
    "metrics",
    "attacks",
    "account",
    "federate",
    "verify",
    "doctor",
]
SLOW = ["numpy", "pandas", "pyarrow", "pydantic", "torch", "sklearn", "scipy"]
DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDE = DOCS / "how-to" / "command-line.md"


def guide_lines(page=GUIDE):
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("understudy ")]


def test_help_names_every_command_and_loads_nothing_slow():
    code = (
        "import sys, json\nfrom understudy.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as stop:\n    assert not stop.code\n"
        f"print(json.dumps([name for name in {SLOW!r} if name in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    *help_lines, loaded = done.stdout.splitlines()
    assert json.loads(loaded) == []
    for command in COMMANDS:
        assert any(line.split()[:1] == [command] for line in help_lines), command


def test_no_command_is_described_with_dots(call):
    assert "..." not in call("--help").out.replace("[ARGS]...", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(call, command):
    done = call(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"understudy {command}" in done.out
    assert "--json" in done.out
    assert "\\" not in done.out


@pytest.mark.parametrize("words", [("account", "gaussian"), ("federate", "site"), ("account", "steps")])
def test_brackets_in_help_are_brackets(call, words):
    out = call(*words, "--help").out
    assert "[required]" in out
    assert "\\" not in out


@pytest.mark.parametrize("name", ["tune", "bench"])
def test_commands_that_are_still_to_come_say_so(call, name):
    done = call(name, "people.csv", "--method", "arf")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {name}: not there yet;")
    assert name not in [line.split()[0] for line in call("--help").out.splitlines() if line.split()]


def test_no_words_at_all_show_the_help(call):
    done = call()
    assert done.code == 0
    assert "synthesize" in done.out


def test_the_version_is_one_line(call):
    assert call("--version").out == f"{TOOL}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_shown_for_every_shell(shell):
    done = subprocess.run(
        [sys.executable, "-m", "understudy", "--show-completion", shell],
        env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "_UNDERSTUDY_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("understudy synth", "synthesize"),
        ("understudy synthesize x.csv --method gau", "gaussian_copula"),
        ("understudy fit x.csv --met", "--method"),
    ],
)
def test_commands_options_and_methods_complete(line, found):
    environment = {
        **os.environ,
        "_UNDERSTUDY_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split()) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "understudy"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert found in done.stdout.split()


def test_every_command_of_the_guide_runs_in_its_order(call):
    lines = guide_lines()
    # `impute` needs a method that takes minutes to learn: the page tells of it in prose.
    assert {words[0] for words in lines} >= set(COMMANDS) - {"impute"}
    for words in lines:
        done = call(*words)
        assert (done.code, done.err) == (0, ""), words
        if "--json" in words or "--json-schema" in words:
            assert isinstance(done.json, dict)


@pytest.mark.parametrize(
    "page", ["how-to/private-fit.md", "explanation/accounting.md", "how-to/judge-a-stand-in.md"]
)
def test_every_command_of_a_page_runs_in_its_order(call, page):
    lines = guide_lines(DOCS / page)
    assert lines
    for words in lines:
        done = call(*words)
        assert (done.code, done.err) == (0, ""), words


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("private-fit.md", ["sound"]),
        ("judge-a-stand-in.md", ["{'column_row'", "0."]),
        (
            "attack-a-stand-in.md",
            [
                "privacy.closest_distance_hamming",
                "('shadow models were trained within a budget",
                "30 of 30 rows are at risk",
            ],
        ),
    ],
)
def test_every_snippet_of_a_page_runs(page, said):
    text = (DOCS / "how-to" / page).read_text(encoding="utf-8")
    snippets = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    for snippet, start in zip(snippets, said, strict=True):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", snippet],
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(start)
