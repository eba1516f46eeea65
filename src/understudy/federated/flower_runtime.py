"""A task of Flower's, taken and done in this process.

Flower hands a task (an app to be run) to whoever asks for it with the secret of its SuperLink or SuperNode.
Its own executor would unpack the code that came with the task and start that. Here it is the installed
package that does the work: code that came over the line is never run.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import final

import httpx
from flwr.common.constant import SubStatus
from flwr.proto.runtime_pb2 import AcquireTaskRequest, PushTaskOutputRequest, SendTaskHeartbeatRequest
from flwr.supercore.constant import TaskType
from flwr.supercore.interceptors import (
    RuntimeTokenHttpInterceptor,
    RuntimeVersionHttpInterceptor,
    SuperExecAuthHttpInterceptor,
)
from flwr.supercore.runtime import RuntimeHttpClient

__all__ = ["Runtime"]

_ACQUIRE = frozenset({"/flwr.proto.Runtime/AcquireTask"})
_BEAT = 10.0  # seconds between signs of life; Flower gives a task up after 60


@final
@dataclass(frozen=True)
class Runtime:
    """Where tasks are to be had: an address, the authority of its certificate (None: plaintext), a secret."""

    address: str
    authority: bytes | None
    secret: bytes

    def acquire(self, kind: TaskType) -> str | None:
        """Return the token of a task of this kind, if one waits."""
        signed = SuperExecAuthHttpInterceptor(master_secret=self.secret, protected_methods=_ACQUIRE)
        with RuntimeHttpClient.from_server_address(
            self.address, self.authority is None, self.authority, [_version(), signed]
        ) as client:
            found = client.AcquireTask(AcquireTaskRequest(supported_task_types=[kind]))
        return str(found.token) if found.HasField("task") and found.token else None

    @contextmanager
    def task(self, token: str) -> Iterator[RuntimeHttpClient]:
        """Yield the client of a task that is ours; Flower hears that it goes on, and how it ended."""
        with RuntimeHttpClient.from_server_address(
            self.address,
            self.authority is None,
            self.authority,
            [_version(), RuntimeTokenHttpInterceptor(token)],
        ) as client:
            over = threading.Event()
            beat = threading.Thread(target=_beat, args=(client, over), daemon=True)
            beat.start()
            outcome = SubStatus.FAILED
            try:
                yield client
                outcome = SubStatus.COMPLETED
            finally:
                over.set()
                beat.join()
                _finish(client, outcome)


def _version() -> RuntimeVersionHttpInterceptor:
    return RuntimeVersionHttpInterceptor(component_name="SuperExec")


def _beat(client: RuntimeHttpClient, over: threading.Event) -> None:
    while not over.is_set():
        # The next one may get through; if none does, Flower ends the task and the work says so.
        with suppress(httpx.HTTPError):
            client.SendTaskHeartbeat(SendTaskHeartbeatRequest())
        over.wait(_BEAT)


def _finish(client: RuntimeHttpClient, outcome: str) -> None:
    # If the other end is gone, there is nobody left to be told.
    with suppress(httpx.HTTPError):
        client.PushTaskOutput(PushTaskOutputRequest(sub_status=outcome, details=""))
