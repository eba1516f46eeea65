"""A site's side of Flower: a SuperNode that holds the line, and this process, which answers.

The private table is in this process only. The SuperNode passes messages on; it runs no app, and it never
sees a row.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self, final

import httpx
from flwr.clientapp import ClientApp
from flwr.supercore.constant import TaskType
from flwr.supernode.runtime.run_clientapp import pull_task_input, push_message

from understudy.errors import LinkError
from understudy.federated.channel import SiteChannel
from understudy.federated.flower_runtime import Runtime
from understudy.federated.processes import Child, free_port, keep_quiet, secret_file

__all__ = ["Node"]

_PATIENCE = 60.0  # seconds for a SuperNode to come up


@final
class Node:
    """A SuperNode that is up for the length of a `with` block; `patience` is for a server that is not yet."""

    def __init__(
        self, channel: SiteChannel, folder: Path, *, patience: float = 0.0, pause: float = 0.2
    ) -> None:
        channel.check()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._channel = channel
        self._folder = folder
        self._patience, self._pause = patience, pause
        self._port = free_port()
        self._secret = secret_file(folder / "secret")
        self._child: Child | None = None

    def __enter__(self) -> Self:
        self._channel.meet(self._patience)
        log = self._folder / "supernode.log"
        self._child = Child("SuperNode", self._command(), log, keep_quiet(self._folder / "flower"))
        try:
            self._child.wait_for_port("127.0.0.1", self._port, _PATIENCE)
        except BaseException:
            self._child.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._child is not None
        self._child.stop()

    def serve(self, app: ClientApp, done: Callable[[], bool]) -> None:
        """Answer messages by this app until `done` says so."""
        assert self._child is not None
        runtime = Runtime(f"127.0.0.1:{self._port}", None, self._secret)
        while not done():
            if not self._child.alive():
                raise LinkError(
                    f"site: the server at {self._channel.address} does not let this site in, or is gone. "
                    f"The SuperNode said: {self._child.said()}"
                )
            token = _acquired(runtime)
            if token is None:
                time.sleep(self._pause)
                continue
            with runtime.task(token) as client:
                message, context, _, _ = pull_task_input(client)  # what came as code stays where it is
                push_message(client, app(message, context), context)

    def _command(self) -> list[str]:
        channel = self._channel
        words = [sys.executable, "-m", "understudy.federated.flower_child", "supernode"]
        words += ["--superlink", str(channel.address), "--isolation", "process"]
        words += ["--host", "127.0.0.1", "--port", str(self._port)]
        words += ["--superexec-auth-secret-file", str(self._folder / "secret")]
        if channel.plain:
            return [*words, "--insecure"]
        words += ["--root-certificates", str(channel.authority)]
        return words if channel.key is None else [*words, "--auth-supernode-private-key", str(channel.key)]


def _acquired(runtime: Runtime) -> str | None:
    try:
        return runtime.acquire(TaskType.CLIENT_APP)
    except httpx.TransportError:
        return None  # it ended just now, which is looked at next, or it is busy
