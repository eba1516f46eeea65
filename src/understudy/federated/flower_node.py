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
from flwr.supercore.inflatable.inflatable_utils import ObjectPullError, ObjectPushError
from flwr.supernode.runtime.run_clientapp import pull_task_input, push_message

from understudy.errors import LinkError
from understudy.federated.channel import SiteChannel
from understudy.federated.flower_child import OUT_OF_STEP
from understudy.federated.flower_runtime import Runtime
from understudy.federated.processes import Child, free_port, keep_quiet, secret_file

__all__ = ["Node"]

_PATIENCE = 60.0  # seconds for a SuperNode to come up
_LEAVE = 150.0  # seconds after which a site that was killed is surely taken for gone


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
        self._was_let_in, self._until = folder / "let-in", time.monotonic() + _LEAVE

    def __enter__(self) -> Self:
        self._channel.meet(self._patience)
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._child is not None
        self._child.stop()

    def serve(self, app: ClientApp, done: Callable[[], bool]) -> None:
        """Answer messages by this app until `done` says so."""
        runtime = Runtime(f"127.0.0.1:{self._port}", None, self._secret)
        while not done():
            self._keep_up()
            try:
                token = runtime.acquire(TaskType.CLIENT_APP)
                if token is None:
                    time.sleep(self._pause)
                    continue
                self._was_let_in.touch()
                self._until = time.monotonic() + _LEAVE
                with runtime.task(token) as client:
                    message, context, _, _ = pull_task_input(client)  # what came as code stays where it is
                    push_message(client, app(message, context), context)
            except (httpx.HTTPError, ObjectPullError, ObjectPushError):
                time.sleep(self._pause)  # the SuperNode ended, or gave the task up; what was answered is kept

    def _start(self) -> None:
        log = self._folder / "supernode.log"
        self._child = Child("SuperNode", self._command(), log, keep_quiet(self._folder / "flower"))
        try:
            self._child.wait_for_port("127.0.0.1", self._port, _PATIENCE)
        except BaseException:  # also a Ctrl-C: what was started must not outlive us
            self._child.stop()
            raise

    def _keep_up(self) -> None:
        """Start the SuperNode anew if it fell out of step; say so if it ended for another reason.

        A site that was killed is taken for present for a minute, and a second of its name is not let in: one
        that was let in before tries for longer than that.
        """
        assert self._child is not None
        if self._child.alive():
            return
        if self._child.code != OUT_OF_STEP and not (
            self._was_let_in.exists() and time.monotonic() < self._until
        ):
            raise LinkError(
                f"site: the server at {self._channel.address} does not let this site in, or is gone. "
                f"The SuperNode said: {self._child.said()}"
            )
        time.sleep(1.0)
        self._start()

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
