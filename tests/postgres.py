"""A real PostgreSQL server for tests, started from the binaries on the PATH and stopped by its own id."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg

PASSWORD = "canary p@ss:w/rd?7f3a91"  # hostile on purpose, and looked for in every message
USER = "tester"


@dataclass(frozen=True)
class Server:
    """Where a running server listens."""

    port: int
    folder: Path

    def url(self, what: str, *, password: str = PASSWORD, database: str = "postgres") -> str:
        return f"postgresql://{USER}:{quote(password, safe='')}@127.0.0.1:{self.port}/{database}?{what}"

    def socket_url(self, what: str) -> str:
        place = f"host={self.folder}&port={self.port}"
        return f"postgresql://{USER}:{quote(PASSWORD, safe='')}@/postgres?{place}&{what}"

    def connect(self) -> psycopg.Connection:
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user=USER, password=PASSWORD, dbname="postgres", autocommit=True
        )


def why_not() -> str | None:
    """Say why no server can be started here; None when one can."""
    absent = [name for name in ("initdb", "postgres") if shutil.which(name) is None]
    return f"no PostgreSQL server here: {', '.join(absent)} not on the PATH" if absent else None


@contextmanager
def running() -> Iterator[Server]:
    """Start a server in a folder of its own, and stop it and remove the folder afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="understudy-pg-"))
    as_user = _unprivileged(folder)
    server = Server(_free_port(), folder)
    try:
        _initialise(folder, as_user)
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(_command(server), cwd=folder, stdout=log, stderr=log, **as_user)
        try:
            _wait(server, process)
            yield server
        finally:
            process.send_signal(signal.SIGINT)  # PostgreSQL's fast shutdown
            process.wait(timeout=30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged(folder: Path) -> dict:
    # PostgreSQL refuses to run as root, so root lends the folder to somebody who is nobody.
    if os.getuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _initialise(folder: Path, as_user: dict) -> None:
    secret = folder / "secret"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)  # the folder itself is closed to everybody else
    command = [
        "initdb",
        "-D",
        str(folder / "data"),
        "-U",
        USER,
        "-A",
        "scram-sha-256",
        "--pwfile",
        str(secret),
    ]
    command += ["-E", "UTF8", "--locale=C", "--no-sync"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, **as_user)


def _command(server: Server) -> list[str]:
    settings = ["listen_addresses=127.0.0.1", "fsync=off", "shared_buffers=64MB", "max_connections=20"]
    command = [
        "postgres",
        "-D",
        str(server.folder / "data"),
        "-k",
        str(server.folder),
        "-p",
        str(server.port),
    ]
    return command + [part for setting in settings for part in ("-c", setting)]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait(server: Server, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            server.connect().close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                log = (server.folder / "log").read_text(errors="replace")
                raise RuntimeError(f"the PostgreSQL server did not start:\n{log}") from None
            time.sleep(0.1)
        else:
            return
