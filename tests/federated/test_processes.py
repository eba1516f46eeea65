"""Children are started quietly, are ended by their number, and are heard when they fail."""

import os
import socket
import stat
import sys
import threading

import pytest

from understudy.errors import LinkError
from understudy.federated.processes import Child, free_port, keep_quiet, secret_file, wait_until_free

LISTEN = "import socket, sys, time; s = socket.create_server(('127.0.0.1', int(sys.argv[1]))); time.sleep(60)"


def child(code, log, *words):
    return Child("child", [sys.executable, "-c", code, *words], log, dict(os.environ))


def test_flower_reports_to_nobody_and_writes_in_its_own_folder(tmp_path):
    found = keep_quiet(tmp_path / "home")
    assert (found["FLWR_TELEMETRY_ENABLED"], found["FLWR_DISABLE_UPDATE_CHECK"]) == ("0", "1")
    assert found["FLWR_HOME"] == str(tmp_path / "home")
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


def test_a_secret_is_made_once_and_is_its_owners_alone(tmp_path):
    first = secret_file(tmp_path / "secret")
    assert secret_file(tmp_path / "secret") == first
    assert len(first) == 64
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


def test_a_free_port_can_be_taken():
    with socket.create_server(("127.0.0.1", free_port())):
        pass


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_port_that_is_taken_is_waited_for_and_said(host):
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
        with pytest.raises(LinkError, match=f"cannot listen at {host}, port {port}"):
            wait_until_free(host, port, 0.3)
        threading.Timer(0.3, door.close).start()
        wait_until_free(host, port, 10.0)


def test_a_child_is_waited_for_and_ended(tmp_path):
    port = free_port()
    started = child(LISTEN, tmp_path / "log", str(port))
    try:
        started.wait_for_port("127.0.0.1", port, 30.0)
        assert started.alive()
    finally:
        started.stop()
    assert not started.alive()
    started.stop()  # once more does no harm


def test_a_child_that_does_not_want_to_end_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("understudy.federated.processes._GRACE", 0.2)
    code = (
        "import signal, socket, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "s = socket.create_server(('127.0.0.1', int(sys.argv[1]))); time.sleep(60)"
    )
    port = free_port()
    started = child(code, tmp_path / "log", str(port))
    started.wait_for_port("127.0.0.1", port, 30.0)
    started.stop()
    assert not started.alive()


def test_a_child_that_fails_is_quoted_without_colours(tmp_path):
    started = child("print('\\x1b[91mno such key\\x1b[0m'); raise SystemExit(3)", tmp_path / "log")
    with pytest.raises(LinkError, match="It said: no such key"):
        started.wait_for_port("127.0.0.1", free_port(), 30.0)


def test_only_this_childs_words_are_quoted(tmp_path):
    (tmp_path / "log").write_text("an old story\n")
    started = child("print('new')", tmp_path / "log")
    started.stop()
    assert "old" not in started.said()


def test_a_child_that_never_listens_is_given_up(tmp_path):
    started = child("import time; time.sleep(60)", tmp_path / "log")
    with pytest.raises(LinkError, match="did not listen"):
        started.wait_for_port("127.0.0.1", free_port(), 0.3)
    assert not started.alive()
