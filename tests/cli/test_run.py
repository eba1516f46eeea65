import os
import subprocess
import sys

import pytest

from understudy.cli import learning, run as runner
from understudy.errors import WriteError

FULL = [sys.executable, "-W", "error", "-m", "understudy"]
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "UNDERSTUDY_DEBUG"}


def shell(folder, *words, **more):
    return subprocess.run(
        [*FULL, *words],
        cwd=folder,
        env={**ENVIRONMENT, **more},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def broken(error):
    def read(_):
        raise error

    return read


def test_a_good_command_leaves_with_0_and_says_nothing_on_stderr(folder):
    done = shell(folder, "synthesize", "people.csv", "-o", "out.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "out.certificate.json" in done.stdout


def test_bad_input_leaves_with_2_and_says_nothing_on_stdout(folder):
    done = shell(folder, "synthesize", "absent.csv", "-o", "out.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")


def test_a_failed_check_leaves_with_1(folder, model):
    (model / "schema.json").write_text("{}")
    assert shell(folder, "verify", "model").returncode == 1


def test_the_installed_command_is_the_same_one(folder):
    command = os.path.join(os.path.dirname(sys.executable), "understudy")
    if not os.path.exists(command):
        pytest.skip("the package is on the path, but not installed")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == shell(folder, "--version").stdout


def test_a_reader_that_goes_away_is_not_worth_a_word(folder):
    line = f"{' '.join(FULL)} methods | true"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""


def bash(folder, line, **more):
    """Run a line of the shell; $U is the command, and what the line says is its exit codes."""
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env={**ENVIRONMENT, "U": " ".join(FULL), **more},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout.split(), done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_changes_no_exit_code(folder, unbuffered):
    good, bad = "methods --json", "schema absent.csv --json"
    line = "; ".join(f"$U {words} | true; echo ${{PIPESTATUS[0]}} >&2" for words in (good, bad))
    assert bash(folder, line, PYTHONUNBUFFERED=unbuffered) == ([], "0\n2\n")


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "2>&-"])
def test_a_command_whose_streams_are_closed_does_its_work(folder, closed):
    words = ("synthesize people.csv -o out.csv", "doctor", "schema absent.csv")
    said, wrong = bash(folder, "; ".join(f"$U {each} >no {closed}; echo $?" for each in words))
    assert (said, "Traceback" in wrong) == (["0", "0", "2"], False)
    assert (folder / "out.csv").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no device that is always full")
def test_an_error_that_cannot_be_written_keeps_its_exit_code(folder):
    for words, code in (("schema absent.csv --json", "2"), ("methods --json", "1")):
        said, wrong = bash(folder, f"$U {words} >/dev/full; echo $?", PYTHONUNBUFFERED="1")
        assert said == [code]
        assert wrong == "error: cannot write to standard output (No space left on device).\n"


def test_a_terminal_without_letters_still_gets_an_answer(folder):
    (folder / "é.csv").write_text("é,b\n1,2\n3,4\n", encoding="utf-8")
    done = shell(folder, "schema", "é.csv", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\xe9" in done.stdout


def test_a_failure_that_is_nobodys_fault_leaves_with_1(call, monkeypatch):
    monkeypatch.setattr(learning.Source, "read", broken(WriteError("the disk is full.")))
    done = call("schema", "people.csv")
    assert (done.code, done.out, done.err) == (1, "", "error: the disk is full.\n")


def test_an_unexpected_error_is_told_without_its_text(call, monkeypatch):
    monkeypatch.setattr(learning.Source, "read", broken(KeyError("the cell of Alice")))
    done = call("schema", "people.csv")
    assert done.code == 1
    assert done.out == ""
    assert "Alice" not in done.err
    assert done.err.count("\n") == 1
    assert "KeyError in test_run.py" in done.err
    assert "UNDERSTUDY_DEBUG=1" in done.err


def test_an_unexpected_error_is_one_json_object_too(call, monkeypatch):
    monkeypatch.setattr(learning.Source, "read", broken(KeyError("the cell of Alice")))
    done = call("schema", "people.csv", "--json")
    assert (done.code, done.err) == (1, "")
    assert done.json["error"]["exit_code"] == 1
    assert "Alice" not in done.out


@pytest.mark.usefixtures("folder")
def test_the_traceback_is_there_for_who_asks(monkeypatch):
    monkeypatch.setenv("UNDERSTUDY_DEBUG", "1")
    monkeypatch.setattr(learning.Source, "read", broken(KeyError("a fault")))
    with pytest.raises(KeyError):
        runner.run(["schema", "people.csv"])


def test_too_little_memory_is_said_with_advice(call, monkeypatch):
    monkeypatch.setattr(learning.Source, "read", broken(MemoryError()))
    done = call("schema", "people.csv")
    assert (done.code, done.err) == (
        1,
        "error: not enough memory; ask for fewer rows, or give a smaller table.\n",
    )


def test_an_interrupt_leaves_with_130(call, monkeypatch):
    monkeypatch.setattr(learning.Source, "read", broken(KeyboardInterrupt()))
    done = call("schema", "people.csv")
    assert (done.code, done.err) == (130, "error: interrupted; no half-written file is left.\n")


@pytest.mark.usefixtures("folder")
def test_a_refusal_of_the_system_is_told_by_its_reason(monkeypatch, capsys):
    monkeypatch.setattr(learning.Source, "read", broken(PermissionError(13, "Permission denied", "Alice")))
    assert runner.run(["schema", "people.csv"]) == 1
    assert capsys.readouterr().err == "error: the system refused: Permission denied.\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no device that is always full")
def test_output_that_cannot_be_written_is_a_failure():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*FULL, "methods"], env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert done.stderr.count("\n") == 1
