"""The server's side of Flower: a SuperLink with a database, the keys of the sites, and a run of a ServerApp.

The app runs in this process, not in one that Flower starts. A server that is started again finds the numbers
and the keys of its sites in the database of its folder, so sites that kept running go on with it.
"""

from __future__ import annotations

import hashlib
import io
import sys
import time
import zipfile
from pathlib import Path
from types import TracebackType
from typing import Self, final

import httpx
from flwr.app import Context
from flwr.common.serde import context_from_proto, run_from_proto
from flwr.proto.control_pb2 import (
    ListNodesRequest,
    ListRunsRequest,
    RegisterNodeRequest,
    StartRunRequest,
    StopRunRequest,
)
from flwr.proto.fab_pb2 import Fab
from flwr.proto.runtime_pb2 import PullTaskInputRequest
from flwr.serverapp import ServerApp
from flwr.supercore.constant import TaskType
from flwr.supercore.control import ControlHttpClient
from flwr.supercore.protobuf.client import ProtobufCall, ProtobufRequestContext
from flwr.supercore.task_identity import TaskIdentity
from flwr.superlink.grid import HttpGrid

from understudy.errors import LinkError
from understudy.federated.channel import ServerChannel, read_public_key
from understudy.federated.flower_gate import GATE_FILE, GATE_HEADER
from understudy.federated.flower_runtime import Runtime
from understudy.federated.processes import Child, keep_quiet, secret_file, wait_until_free
from understudy.version import VERSION

__all__ = ["Link", "bundle"]

_FINISHED = "finished"
_PATIENCE = 60.0  # seconds for a SuperLink to come up, or to hand out the task of a run
# Flower wants an app to be a bundle of files. This one holds names only; no side takes code from it.
_BUNDLE = f"""
[project]
name = "understudy-federation"
version = "{VERSION}"
dependencies = []

[tool.flwr.app]
publisher = "understudy"

[tool.flwr.app.components]
serverapp = "understudy.federated.flower_server:none"
clientapp = "understudy.federated.flower_site:none"
"""


@final
class Link:
    """A SuperLink that is up for the length of a `with` block."""

    def __init__(self, channel: ServerChannel, folder: Path) -> None:
        channel.check()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._channel = channel
        self._folder = folder
        self._secret = secret_file(folder / "secret")
        self._authority = None if channel.authority is None else channel.authority.read_bytes()
        self._child: Child | None = None

    def __enter__(self) -> Self:
        environment = keep_quiet(self._folder / "flower") | {
            GATE_FILE: str((self._folder / "secret").absolute())
        }
        log = self._folder / "superlink.log"
        wait_until_free(self._channel.address.host, self._channel.address.port)
        self._child = Child("SuperLink", self._command(), log, environment)
        try:
            self._child.wait_for_port(self._channel.own.host, self._channel.own.port, _PATIENCE)
        except BaseException:  # also a Ctrl-C: what was started must not outlive us
            self._child.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._child is not None
        self._child.stop()

    def alive(self) -> bool:
        """Say whether the SuperLink runs."""
        return self._child is not None and self._child.alive()

    def register(self) -> dict[str, int]:
        """Let the sites in by their keys, and return their numbers by name."""
        with self._control() as control:
            known = {
                bytes(each.public_key): each for each in control.ListNodes(ListNodesRequest()).nodes_info
            }
            found = {}
            for name, path in self._channel.sites.items():
                key = read_public_key(path, name)
                if key in known:
                    found[name] = int(known[key].node_id)
                else:
                    found[name] = int(control.RegisterNode(RegisterNodeRequest(public_key=key)).node_id)
        return found

    def run(self, app: ServerApp) -> None:
        """Run an app to its end."""
        with self._control() as control:
            for number, old in control.ListRuns(ListRunsRequest()).run_dict.items():
                if old.status.status != _FINISHED:  # of a server that was killed
                    control.StopRun(StopRunRequest(run_id=number))
            control.StartRun(StartRunRequest(fab=Fab(hash_str="", content=bundle())))
        runtime = Runtime(str(self._channel.own), self._authority, self._secret)
        token = self._token(runtime)
        grid = HttpGrid(str(self._channel.own), self._authority is None, self._authority, token=token)
        with runtime.task(token) as client:
            found = client.PullTaskInput(PullTaskInputRequest())
            grid.set_run(run_from_proto(found.run))
            context: Context = context_from_proto(found.context)
            TaskIdentity.task_id = found.task_id  # Flower's messages take these three from here
            TaskIdentity.run_id, TaskIdentity.node_id = found.run.run_id, context.node_id
            try:
                app(grid, context)
            finally:
                grid.close()

    def _token(self, runtime: Runtime) -> str:
        until = time.monotonic() + _PATIENCE
        while (token := runtime.acquire(TaskType.SERVER_APP)) is None:
            if time.monotonic() > until:
                raise LinkError(f"SuperLink: it started no run within {_PATIENCE:g} s.")
            time.sleep(0.1)
        return token

    def _control(self) -> ControlHttpClient:
        return ControlHttpClient.from_server_address(
            str(self._channel.own), self._authority is None, self._authority, [_Secret(self._secret)]
        )

    def _command(self) -> list[str]:
        channel, folder = self._channel, self._folder
        words = [sys.executable, "-m", "understudy.federated.flower_child", "superlink"]
        words += ["--host", channel.address.host, "--port", str(channel.address.port)]
        words += ["--database", str(folder / "superlink.db"), "--isolation", "process"]
        words += ["--superexec-auth-secret-file", str(folder / "secret")]
        if channel.plain:
            return [*words, "--insecure"]
        words += ["--ssl-ca-certfile", str(channel.authority), "--ssl-certfile", str(channel.certificate)]
        words += ["--ssl-keyfile", str(channel.key)]
        return [*words, "--enable-supernode-auth"] if channel.sites else words


def bundle() -> bytes:
    """Return the bundle under which a run is known to Flower: a name and a version, and no code."""
    digest = hashlib.sha256(_BUNDLE.encode()).hexdigest()
    listed = f"pyproject.toml,{digest},{8 * len(_BUNDLE.encode())}"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        # At a fixed time: the same bundle has the same bytes.
        file.writestr(zipfile.ZipInfo("pyproject.toml"), _BUNDLE)
        file.writestr(zipfile.ZipInfo(".info/CONTENT"), listed)
    return content.getvalue()


@final
class _Secret:
    """Puts the secret of the gate on every call of the Control API."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret.decode("ascii")

    def intercept(self, context: ProtobufRequestContext, call_next: ProtobufCall) -> httpx.Response:
        """Add the header and go on."""
        context.request.headers[GATE_HEADER] = self._secret
        return call_next(context)
