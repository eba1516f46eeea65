"""Flower's own programs as child processes: started quietly, ended by their number, heard through a log."""

from __future__ import annotations

import os
import re
import secrets
import socket
import subprocess
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path
from typing import final

from understudy.errors import LinkError
from understudy.table.atomic import PRIVATE, write_bytes

__all__ = ["Child", "free_port", "keep_quiet", "secret_file", "wait_until_free"]

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_GRACE = 5.0  # seconds to end by itself


def keep_quiet(home: Path) -> dict[str, str]:
    """Return an environment in which Flower reports to nobody and writes nowhere but in `home`."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    scripts = sysconfig.get_path("scripts")
    return {
        **os.environ,
        "FLWR_TELEMETRY_ENABLED": "0",
        "FLWR_DISABLE_UPDATE_CHECK": "1",
        "FLWR_DISABLE_RUNTIME_DEPENDENCY_INSTALLATION": "1",
        "FLWR_HOME": str(home),
        # Flower looks for its own programs by name: those of this environment come first.
        "PATH": f"{scripts}{os.pathsep}{os.environ.get('PATH', '')}",
        "PYTHONUNBUFFERED": "1",
    }


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_until_free(host: str, port: int, patience: float = 10.0) -> None:
    """Wait until nobody listens there: what a killed server left behind takes a moment to end."""
    until = time.monotonic() + patience
    while True:
        try:
            socket.create_server((host, port), family=_family(host)).close()
        except OSError as error:
            if time.monotonic() > until:
                why = error.strerror or "no reason given"
                raise LinkError(f"server: cannot listen at {host}, port {port} ({why}).") from None
            time.sleep(0.2)
        else:
            return


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def secret_file(path: Path) -> bytes:
    """Return the secret in a file that only its owner reads; make one if there is none."""
    if not path.exists():
        write_bytes(path, secrets.token_hex(32).encode(), PRIVATE)
    return path.read_bytes()


@final
class Child:
    """A process that is ours to end, with its output in a log file."""

    def __init__(self, name: str, command: Sequence[str], log: Path, environment: dict[str, str]) -> None:
        self.name = name
        self.log = log
        self._started = log.stat().st_size if log.exists() else 0
        with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE), "ab") as out:
            # A group of its own: a Ctrl-C is for us, and we end the child in order.
            self._process = subprocess.Popen(  # noqa: S603 - our own program, and no shell
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
                umask=0o077,  # what Flower writes down is for its owner alone
            )

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def alive(self) -> bool:
        """Say whether it runs."""
        return self._process.poll() is None

    @property
    def code(self) -> int | None:
        """The exit code; None while it runs."""
        return self._process.poll()

    def stop(self) -> None:
        """End it: ask first, then insist."""
        if self.alive():
            self._process.terminate()
            try:
                self._process.wait(_GRACE)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()

    def said(self, lines: int = 3) -> str:
        """Return the last lines that it wrote, as one."""
        with self.log.open("rb") as file:
            file.seek(self._started)
            text = _COLOUR.sub("", file.read()[-20_000:].decode("utf-8", "replace"))
        kept = [line.strip() for line in text.splitlines() if line.strip()]
        return " / ".join(kept[-lines:])

    def wait_for_port(self, host: str, port: int, patience: float) -> None:
        """Wait until it listens; refuse if it ends or takes too long."""
        until = time.monotonic() + patience
        while True:
            if not self.alive():
                raise LinkError(f"{self.name}: it ended at once. It said: {self.said()}")
            try:
                with socket.create_connection((host, port), 1.0):
                    return
            except OSError:
                if time.monotonic() > until:
                    self.stop()
                    raise LinkError(
                        f"{self.name}: it did not listen within {patience:g} s; see {str(self.log)!r}."
                    ) from None
            time.sleep(0.1)
